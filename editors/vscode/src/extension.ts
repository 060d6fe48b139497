// The extension's code: which command is the debug adapter, a debugger for the host's code beside it, the grid of lanes, and the buttons
// that run kernels. All else is in package.json.
import * as vscode from 'vscode';
import { Grids, Message } from './grid';
import { start } from './run';

const grids = new Grids();

const settings = (session?: vscode.DebugSession) => vscode.workspace.getConfiguration('wavetrap', session?.workspaceFolder);

/** Where the adapter is: the command of the settings, with its standard input and output. A configuration with `debugServer` does
 * not come here. */
const factory: vscode.DebugAdapterDescriptorFactory = {
    createDebugAdapterDescriptor(session) {
        return new vscode.DebugAdapterExecutable(settings(session).get<string>('command') || 'wavetrap', ['dap']);
    },
};

/** With the attribute `host` a session of lldb-dap attaches to the program's process when it is there, for the host's code. What the
 * attribute has, if it is an object, goes into that session's configuration. */
const tracker: vscode.DebugAdapterTrackerFactory = {
    createDebugAdapterTracker(session) {
        const host = session.configuration.host;
        return {
            onDidSendMessage(message: Message) {
                grids.tell(session, message);
                if (message.type === 'event' && message.event === 'initialized' && settings(session).get<boolean>('gridAtStart'))
                    grids.show(session);
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

export function activate(context: vscode.ExtensionContext) {
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('wavetrap', factory),
                               vscode.debug.registerDebugAdapterTrackerFactory('wavetrap', tracker),
                               vscode.debug.onDidStartDebugSession((session) => grids.follow(session)),
                               vscode.debug.onDidTerminateDebugSession((session) => grids.end(session)),
                               vscode.commands.registerCommand('wavetrap.doctor', () => {
                                   const terminal = vscode.window.createTerminal('wavetrap doctor');
                                   terminal.show();
                                   terminal.sendText(`"${settings().get<string>('command') || 'wavetrap'}" doctor`);
                               }),
                               vscode.commands.registerCommand('wavetrap.showGrid', () => grids.show(vscode.debug.activeDebugSession)),
                               vscode.commands.registerCommand('wavetrap.debugKernel', (file?: vscode.Uri) => start(file, false)),
                               vscode.commands.registerCommand('wavetrap.runKernel', (file?: vscode.Uri) => start(file, true)));
}

export function deactivate() {}
