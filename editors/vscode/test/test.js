// Tests of the compiled extension against a double of the module `vscode`: npm test
const assert = require('assert');
const Module = require('module');
const path = require('path');

/** What the extension asks of the editor, and what the tests make of it. */
function double() {
    const made = { trackers: [], factories: [], commands: {}, panels: [], said: [], started: [], executed: [], settings: {} };
    made.vscode = {
        ViewColumn: { Beside: -2 },
        DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, { command, args }); } },
        workspace: {
            getConfiguration: (section) => ({ get: (name) => section === 'launch' ? made.launch : made.settings[name] }),
            getWorkspaceFolder: (file) => `folder of ${file}`,
        },
        commands: { registerCommand: (name, run) => (made.commands[name] = run, {}), executeCommand: async (...args) => made.executed.push(args) },
        debug: {
            registerDebugAdapterDescriptorFactory: (type, factory) => (made.factories.push([type, factory]), {}),
            registerDebugAdapterTrackerFactory: (type, tracker) => (made.trackers.push([type, tracker]), {}),
            startDebugging: (...args) => made.started.push(args),
            onDidStartDebugSession: (f) => (made.begins = f, {}),
            onDidTerminateDebugSession: (f) => (made.ends = f, {}),
        },
        window: {
            showInformationMessage: async (text) => (made.said.push(text), made.answer),
            showQuickPick: async (names) => (made.offered = names, made.answer),
            createWebviewPanel: (type, title, column, options) => {
                const panel = { type, title, options, sent: [], revealed: 0, reveal() { this.revealed++; }, onDidDispose(f) { this.dispose = f; } };
                panel.webview = { html: '', postMessage: (m) => panel.sent.push(m), onDidReceiveMessage: (f) => panel.receive = f };
                made.panels.push(panel);
                return panel;
            },
        },
    };
    return made;
}

function load(made) {
    const find = Module._load;
    Module._load = (name, ...rest) => name === 'vscode' ? made.vscode : find(name, ...rest);
    for (const file of ['extension.js', 'grid.js', 'run.js'])
        delete require.cache[path.join(__dirname, '..', 'out', file)];
    const extension = require('../out/extension.js');
    Module._load = find;
    extension.activate({ subscriptions: [] });
    return extension;
}

const session = (id, more) => ({ id, type: 'wavetrap', name: `session ${id}`, configuration: {}, ...more });

const tests = {
    async 'the adapter is the command of the settings'() {
        const made = double();
        load(made);
        const [[type, factory]] = made.factories;
        assert.deepStrictEqual([type, factory.createDebugAdapterDescriptor({}).command], ['wavetrap', 'wavetrap']);
        made.settings.command = '/opt/wavetrap';
        assert.deepStrictEqual({ ...factory.createDebugAdapterDescriptor({}) }, { command: '/opt/wavetrap', args: ['dap'] });
    },
    async 'the host program gets a debugger of its own'() {
        const made = double();
        load(made);
        const event = { type: 'event', event: 'process', body: { systemProcessId: 7, name: 'a.out' } };
        made.trackers[0][1].createDebugAdapterTracker(session('1')).onDidSendMessage(event);
        assert.strictEqual(made.started.length, 0);
        made.trackers[0][1].createDebugAdapterTracker(session('1', { configuration: { host: true } })).onDidSendMessage({ ...event, body: { name: 'a.out' } });
        assert.strictEqual(made.started.length, 0);
        made.trackers[0][1].createDebugAdapterTracker(session('1', { configuration: { host: { stopOnEntry: true } } })).onDidSendMessage(event);
        assert.strictEqual(made.started[0][2].parentSession.id, '1');
        assert.deepStrictEqual([made.started[0][1].pid, made.started[0][1].type, made.started[0][1].stopOnEntry], [7, 'lldb-dap', true]);
    },
    async 'the grid is a panel of the active session, once'() {
        const made = double();
        load(made);
        made.commands['wavetrap.showGrid']();
        made.vscode.debug.activeDebugSession = { id: '9', type: 'cppdbg' };
        made.commands['wavetrap.showGrid']();
        assert.strictEqual(made.said.length, 2);
        made.vscode.debug.activeDebugSession = session('1');
        made.commands['wavetrap.showGrid']();
        made.commands['wavetrap.showGrid']();
        assert.deepStrictEqual([made.panels.length, made.panels[0].revealed], [1, 1]);
        assert(made.panels[0].options.enableScripts && !/@(STYLE|SCRIPT|RECORDING)@/.test(made.panels[0].webview.html));
        assert(made.panels[0].webview.html.includes('class EditorTransport'));
        made.panels[0].dispose();
        made.commands['wavetrap.showGrid']();
        assert.strictEqual(made.panels.length, 2);
    },
    async 'its requests go to the session, and answers and failures back'() {
        const made = double(), asked = [];
        load(made);
        made.vscode.debug.activeDebugSession = session('1', { customRequest: async (command, args) => {
            asked.push([command, args]);
            if (command === 'next')
                throw new Error('it runs');
            return { frames: [] };
        } });
        made.commands['wavetrap.showGrid']();
        await made.panels[0].receive({ number: 1, command: 'wavetrap/grid', arguments: { expressions: ['n'] } });
        await made.panels[0].receive({ number: 2, command: 'next', arguments: { threadId: 1 } });
        assert.deepStrictEqual(asked, [['wavetrap/grid', { expressions: ['n'] }], ['next', { threadId: 1 }]]);
        assert.deepStrictEqual(made.panels[0].sent, [{ number: 1, body: { frames: [] } }, { number: 2, error: 'it runs' }]);
    },
    async 'it is shown at the beginning of a session where the settings say so'() {
        const made = double();
        load(made);
        const begins = () => made.trackers[0][1].createDebugAdapterTracker(session('1')).onDidSendMessage({ type: 'event', event: 'initialized' });
        begins();
        assert.strictEqual(made.panels.length, 0);
        made.settings.gridAtStart = true;
        begins();
        assert.strictEqual(made.panels.length, 1);
    },
    async 'the buttons of a kernel start a launch of the folder, chosen where there are several'() {
        const made = double();
        load(made);
        const one = { name: 'one', type: 'wavetrap', request: 'launch' }, two = { ...one, name: 'two' };
        made.launch = [{ name: 'other', type: 'cppdbg', request: 'launch' }, one, { name: 'core', type: 'wavetrap', request: 'attach' }];
        await made.commands['wavetrap.debugKernel']('k.cl');
        assert.deepStrictEqual(made.started.pop(), ['folder of k.cl', one, { noDebug: false }]);
        made.launch.push(two);
        made.answer = 'two';
        await made.commands['wavetrap.runKernel']('k.cl');
        assert.deepStrictEqual([made.offered, made.started.pop()], [['one', 'two'], ['folder of k.cl', two, { noDebug: true }]]);
        made.answer = undefined;
        await made.commands['wavetrap.runKernel']('k.cl');
        assert.strictEqual(made.started.length, 0);
    },
    async 'without a launch the buttons offer to add one'() {
        const made = double();
        load(made);
        made.launch = [];
        await made.commands['wavetrap.debugKernel']('k.cl');
        assert.deepStrictEqual([made.said.length, made.executed], [1, []]);
        made.answer = 'Add a configuration';
        await made.commands['wavetrap.debugKernel']('k.cl');
        assert.deepStrictEqual([made.started, made.executed], [[], [['debug.addConfiguration']]]);
    },
    async 'a panel whose session has ended shows the next one'() {
        const made = double(), asked = [];
        load(made);
        const of = (id) => session(id, { customRequest: async (command) => asked.push([id, command]) });
        made.vscode.debug.activeDebugSession = of('1');
        made.commands['wavetrap.showGrid']();
        made.begins(of('2'));
        await made.panels[0].receive({ number: 1, command: 'wavetrap/grid' });
        made.ends(of('1'));
        made.begins({ ...of('3'), type: 'cppdbg' });
        made.panels[0].webview.html = '';
        made.begins(of('4'));
        assert.strictEqual(made.panels[0].title, 'Lanes: session 4');
        assert(made.panels[0].webview.html.includes('class EditorTransport'));
        await made.panels[0].receive({ number: 2, command: 'wavetrap/grid' });
        made.trackers[0][1].createDebugAdapterTracker(session('4')).onDidSendMessage({ type: 'event', event: 'stopped', body: { threadId: 3 } });
        assert.deepStrictEqual(asked, [['1', 'wavetrap/grid'], ['4', 'wavetrap/grid']]);
        assert(made.panels[0].sent.some((message) => message.event === 'stopped'));
        made.vscode.debug.activeDebugSession = of('4');
        made.commands['wavetrap.showGrid']();
        assert.deepStrictEqual([made.panels.length, made.panels[0].revealed], [1, 1]);
    },
    async 'it is told of stops of its session, and of nothing else'() {
        const made = double();
        load(made);
        made.vscode.debug.activeDebugSession = session('1');
        made.commands['wavetrap.showGrid']();
        const tell = (id, message) => made.trackers[0][1].createDebugAdapterTracker(session(id)).onDidSendMessage(message);
        tell('1', { type: 'event', event: 'stopped', body: { threadId: 3 } });
        tell('2', { type: 'event', event: 'stopped', body: { threadId: 4 } });
        tell('1', { type: 'event', event: 'output', body: {} });
        tell('1', { type: 'response', command: 'next' });
        assert.deepStrictEqual(made.panels[0].sent, [{ event: 'stopped', body: { threadId: 3 } }]);
    },
};

(async () => {
    for (const [name, test] of Object.entries(tests)) {
        try {
            await test();
        } catch (error) {
            console.error(`${name}: ${error.stack}`);
            process.exitCode = 1;
        }
    }
    console.log(`${Object.keys(tests).length} tests`);
})();
