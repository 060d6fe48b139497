// The buttons above a kernel's source: they start one of the folder's configurations for this debugger.
import * as vscode from 'vscode';

/** Starts the only launch configuration, or the one that is chosen; without any, one is to be added. @p noDebug: it only runs. */
export async function start(file: vscode.Uri | undefined, noDebug: boolean): Promise<void> {
    const open = file ?? vscode.window.activeTextEditor?.document.uri;
    const folder = (open && vscode.workspace.getWorkspaceFolder(open)) ?? vscode.workspace.workspaceFolders?.[0];
    const all = vscode.workspace.getConfiguration('launch', folder).get<vscode.DebugConfiguration[]>('configurations') ?? [];
    const own = all.filter((one) => one.type === 'wavetrap' && one.request === 'launch');
    if (!own.length) {
        const add = 'Add a configuration';
        if (await vscode.window.showInformationMessage('wavetrap: launch.json says how a kernel is launched, and has no configuration for it.', add) === add)
            await vscode.commands.executeCommand('debug.addConfiguration');
        return;
    }
    const name = own.length === 1 ? own[0].name : await vscode.window.showQuickPick(own.map((one) => one.name), { placeHolder: 'Which launch?' });
    const chosen = own.find((one) => one.name === name);
    if (chosen)
        await vscode.debug.startDebugging(folder, chosen, { noDebug });
}
