// The extension's code: which command is the debug adapter, a debugger for the host's code beside it, and the grid of lanes. All else is in
// package.json.
const vscode = require('vscode');
const { Grids } = require('./grid.js');

const grids = new Grids();

/** Where the adapter is: the command of the settings, with its standard input and output. A configuration with `debugServer` does
 * not come here. */
const factory = {
    createDebugAdapterDescriptor(session) {
        const settings = vscode.workspace.getConfiguration('wavetrap', session.workspaceFolder);
        return new vscode.DebugAdapterExecutable(settings.get('command') || 'wavetrap', ['dap']);
    },
};

/** With the attribute `host` a session of lldb-dap attaches to the program's process when it is there, for the host's code. What the
 * attribute has, if it is an object, goes into that session's configuration. */
const tracker = {
    createDebugAdapterTracker(session) {
        const host = session.configuration.host;
        return {
            onDidSendMessage(message) {
                grids.tell(session, message);
                if (!host || message.type !== 'event' || message.event !== 'process' || !message.body.systemProcessId)
                    return;
                vscode.debug.startDebugging(session.workspaceFolder, {
                    name: `${session.name}: host`,
                    type: 'lldb-dap',
                    request: 'attach',
                    pid: message.body.systemProcessId,
                    program: message.body.name,
                    ...(typeof host === 'object' ? host : {}),
                }, { parentSession: session });
            },
        };
    },
};

exports.activate = (context) => {
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('wavetrap', factory),
                               vscode.debug.registerDebugAdapterTrackerFactory('wavetrap', tracker),
                               vscode.commands.registerCommand('wavetrap.showGrid', () => grids.show(vscode.debug.activeDebugSession)));
};

exports.deactivate = () => {};
