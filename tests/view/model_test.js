/* Unit tests of what the grid computes: node model_test.js MODEL. */
'use strict';
const assert = require('assert');
const m = require(require('path').resolve(process.argv[2]));

const tests = {
    'lanes of a mask'() {
        assert.deepStrictEqual(m.lanesOf('5', 4), [true, false, true, false]);
        const wide = m.lanesOf('80000000000000000000000000000001', 128);
        assert.deepStrictEqual([wide[0], wide[1], wide[126], wide[127]], [true, false, false, true]);
        assert.strictEqual(m.lanesOf('f', 128).filter((on) => on).length, 4);
    },
    'lanes as text'() {
        assert.strictEqual(m.lanesText(m.lanesOf('f1', 8)), '0, 4..7');
        assert.strictEqual(m.lanesText([false, false]), 'none');
    },
    'states'() {
        const wave = { lanes: 8, mask: '0f', pc: '0x10', items: 6 };
        assert.deepStrictEqual(m.statesOf(wave), [1, 1, 1, 1, 2, 2, 0, 0]);
        assert.deepStrictEqual(m.statesOf({ ...wave, barrier: true }).slice(0, 5), [3, 3, 3, 3, 2]);
        assert.deepStrictEqual(m.statesOf({ ...wave, faulted: '02' }).slice(0, 5), [1, 4, 1, 1, 2]);
        assert.deepStrictEqual(m.statesOf({ lanes: 2, running: true }), [1, 1]);
    },
    'where lanes go on: the innermost that waits counts'() {
        const wave = { lanes: 4, mask: '1', pc: '0x10', waiters: [{ lanes: '2', pc: '0x20' }, { lanes: 'e', pc: '0x30' }] };
        assert.deepStrictEqual([0, 1, 2, 3].map((lane) => m.pcOf(wave, lane)), ['0x10', '0x20', '0x30', '0x30']);
    },
    'divergence: a tree whose outermost lanes come first'() {
        const tree = m.divergenceOf({ lanes: 4, mask: '1', pc: '0x10', waiters: [{ lanes: '2', pc: '0x20' }, { lanes: 'c', pc: '0x30' }] });
        assert.deepStrictEqual(tree.children.map((n) => [m.lanesText(n.lanes), n.pc]), [['0..1', null], ['2..3', '0x30']]);
        assert.deepStrictEqual(tree.children[0].children.map((n) => [m.lanesText(n.lanes), n.pc, n.enabled]), [['0', '0x10', true], ['1', '0x20', false]]);
    },
    'divergence without a stack: lanes that are off'() {
        const tree = m.divergenceOf({ lanes: 4, mask: '3', pc: '0x10' });
        assert.deepStrictEqual(tree.children.map((n) => [m.lanesText(n.lanes), n.enabled]), [['0..1', true], ['2..3', false]]);
        assert.deepStrictEqual(m.divergenceOf({ lanes: 4, mask: 'f', pc: '0x10' }).children, []);
        const off = m.divergenceOf({ lanes: 4, mask: '0', pc: '0x10' });
        assert.deepStrictEqual([off.children, off.pc, off.enabled], [[], null, false]);
    },
    'work-items, also of a group at the end that is smaller'() {
        const wave = { block: [8, 4, 1], group: [0, 0, 0], first: 32 };
        assert.deepStrictEqual(m.itemOf(wave, 3, { items: [16, 8, 1] }), [3, 0, 1]);
        assert.deepStrictEqual(m.itemOf({ ...wave, first: 0, group: [1, 0, 0] }, 7, { items: [13, 8, 1] }), [2, 1, 0]);
        assert.strictEqual(m.itemOf({ block: [0, 0, 0] }, 1), null);
    },
    'numbers of values'() {
        assert.deepStrictEqual(['7', '-3', '0x10', '1.5', '2e3', "97 'a'", '(int *) 0x20', 'true'].map(m.numberOf), [7, -3, 16, 1.5, 2000, 97, 32, 1]);
        assert.deepStrictEqual(['<optimized out>', 'red', '{1, 2}', '3abc', ''].map(m.numberOf), [null, null, null, null, null]);
    },
    'ranges and colours'() {
        const range = m.rangeOf([{ values: [{ each: ['3', '<optimized out>', '9'] }] }, { values: [{ all: '-1' }] }, { values: [{ why: 'no' }] }], 0);
        assert.deepStrictEqual([...range], [-1, 9]);
        assert.strictEqual(m.rangeOf([{ values: [{ all: 'red' }] }], 0), null);
        assert.deepStrictEqual([0, 1, 7].map(m.rampColour), ['rgb(68,1,84)', 'rgb(253,231,37)', 'rgb(253,231,37)']);
        const wide = m.rangeOf([{ values: [{ each: ['0', '100000'] }] }], 0);
        assert(m.shareOf(300, wide) > .4 && m.shareOf(4, range) === .5);
    },
    'values of lanes are unpacked from columns, counts from those before'() {
        const counts = m.unpacked({ expressions: [], columns: [], waves: [], frames: [{}, { counts: ['a', 'b'] }, { counts: [0, 'c', 'd'] }, { counts: [0, 0, 'e'] }] });
        assert.deepStrictEqual(counts.frames.map((one) => one.counts), [undefined, ['a', 'b'], ['a', 'c', 'd'], ['a', 'c', 'e']]);
        const wave = (id, ...values) => ({ id, lanes: 2, values });
        const body = { expressions: ['a', 'b'], frames: [], columns: [['1', '2'], ['3', 0], ['x'], ['y'], [], [], [], []],
                       waves: [wave('5', 0, { all: '7' }), { id: '5', lanes: 2, running: true }, wave('5', 0, 0), wave('6', { all: '1' }, { why: 'no' })] };
        assert.deepStrictEqual(m.unpacked(body).waves.map((one) => one.values), [
            [{ each: ['1', '3'] }, { all: '7' }], undefined, [{ each: ['2', '3'] }, { each: ['x', 'y'] }], [{ all: '1' }, { why: 'no' }]]);
    },
    'frames of times'() {
        const model = new m.Model({ places: {}, dispatches: {}, waves: [], frames: [10, 20, 30].map((time) => ({ time, waves: [] })) });
        assert.deepStrictEqual([9, 10, 19, 20, 30, 99, undefined].map((time) => model.frameAt(time)), [null, 0, 0, 1, 2, 2, null]);
    },
    'a recording opens at its fault, else where most lanes are masked off'() {
        const wave = (id, mask, more) => ({ id, device: 0, core: 0, slot: Number(id), lanes: 4, mask, pc: '0x1', ...more });
        const model = (waves, frames) => new m.Model({ wave: 'wave', lane: 'lane', places: {}, dispatches: {}, waves, frames: frames.map((list, time) => ({ time, waves: list })) });
        const parted = model([wave('0', 'f'), wave('1', 'c'), wave('2', '8'), wave('3', 'f')], [[0, 3], [0, 1], [3, 2], [3]]);
        assert.strictEqual(parted.firstFrame(), 2);
        assert.deepStrictEqual(parted.firstLane(2), { wave: '2', lane: 3 });
        assert.deepStrictEqual(model([wave('0', 'f'), wave('1', 'f')], [[0], [0, 1], [1]]).firstFrame(), 1);
        // Not a wave whose lanes are all masked off, nor one in code without lines, where others have some.
        const beside = model([wave('0', '0'), wave('1', '8', { pc: '0x2' }), wave('2', 'c', { pc: '0x2' }), wave('3', '0', { pc: '0x2' })], [[0, 1, 2, 3]]);
        beside.places['0x2'] = { line: 3 };
        assert.deepStrictEqual(beside.firstLane(0), { wave: '1', lane: 3 });
        const faulted = model([wave('0', '1'), wave('1', 'f', { faulted: '4' })], [[0], [1]]);
        assert.deepStrictEqual([faulted.firstFrame(), faulted.firstLane(1)], [1, { wave: '1', lane: 2 }]);
        assert.strictEqual(model([wave('0', 'f')], [[0], []]).firstLane(1), null);
        parted.body.stop = true; // of a program that something else has stopped
        assert.strictEqual(parted.firstFrame(), 3);
    },
    'rows stay where they are: not begun, there, ended'() {
        const wave = (id, group) => ({ id, device: 0, core: 0, slot: 0, lanes: 2, mask: '3', pc: '0x1', dispatch: 1, group: [group, 0, 0], index: 0 });
        const model = new m.Model({ wave: 'wave', lane: 'lane', places: {}, dispatches: { 1: { kernel: 'k', groups: [4, 1, 1] } },
                                    waves: [wave('7', 0), wave('8', 1)], frames: [{ time: 0, waves: [0] }, { time: 1, waves: [1] }] });
        const states = (frame) => model.layout(frame, 'group').filter((row) => row.key).map((row) => row.wave ? row.wave.id : row.state);
        assert.deepStrictEqual([states(0), states(1)], [['7', m.NOT_BEGUN], [m.ENDED, '8']]);
        assert.match(model.layout(0, 'group').pop().title, /2 more groups have not begun/);
        assert.deepStrictEqual(model.layout(0, 'core').filter((row) => row.key).map((row) => row.wave.id), ['7']);
    },
    'where lanes are'() {
        const model = new m.Model({ wave: 'wave', lane: 'lane', dispatches: {}, places: { '0x1': { function: 'f', path: 'a/b.c', line: 3 }, '0x2': { function: 'g' } },
                                    waves: [{ lanes: 4, mask: '1', pc: '0x1', waiters: [{ lanes: '6', pc: '0x2' }] }], frames: [{ waves: [0] }] });
        assert.deepStrictEqual(model.crowd(0).map((one) => [one.text, one.running, one.waiting]), [['f() b.c:3', 1, 1], ['g() 0x2', 0, 2]]);
    },
};

for (const [name, test] of Object.entries(tests)) {
    try {
        test();
    } catch (error) {
        console.error(`${name}: ${error.stack}`);
        process.exitCode = 1;
    }
}
console.log(`${Object.keys(tests).length} tests`);
