"""Forces on a protein in water, on OpenMM's reference platform and on a GPU: openmm_forces.py. Prints the largest difference of each
kind of force, relative to the largest force. PME is left out: Intel's compiler in Debian 12 miscompiles its kernel gridSpreadCharge
(the data of most atomics are a register that the kernel does not write; without optimisation the results are right)."""
import os

import numpy
import openmm
from openmm import app

FOLDER = os.path.join(os.path.dirname(app.__file__), "data")


def forces(system, positions, platform):
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform))
    context.setPositions(positions)
    return [context.getState(getForces=True, groups={i}).getForces(asNumpy=True)._value for i in range(system.getNumForces())]


def main():
    pdb = app.PDBFile(os.path.join(FOLDER, "test.pdb"))
    field = app.ForceField("amber99sb.xml", "tip3p.xml")
    for method in app.NoCutoff, app.CutoffPeriodic:
        system = field.createSystem(pdb.topology, nonbondedMethod=method, constraints=app.HBonds)
        for i, force in enumerate(system.getForces()):
            force.setForceGroup(i)
        names = [type(f).__name__ for f in system.getForces()]
        for name, a, b in zip(names, forces(system, pdb.positions, "Reference"), forces(system, pdb.positions, "OpenCL")):
            if abs(a).max():
                print(method, name, f"{numpy.abs(a - b).max() / numpy.abs(a).max():.2e}")


main()
