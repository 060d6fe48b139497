// The extension's code: which command is the debug adapter. All else is in package.json.
const vscode = require('vscode');

/** Where the adapter is: the command of the settings, with its standard input and output. A configuration with `debugServer` does
 * not come here. */
const factory = {
    createDebugAdapterDescriptor(session) {
        const settings = vscode.workspace.getConfiguration('wavetrap', session.workspaceFolder);
        return new vscode.DebugAdapterExecutable(settings.get('command') || 'wavetrap', ['dap']);
    },
};

exports.activate = (context) => {
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('wavetrap', factory));
};

exports.deactivate = () => {};
