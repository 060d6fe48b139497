/* The view of a session: it runs, steps, goes to other times, and shows what each stop is. */
'use strict';

Object.assign(View.prototype, {
    beginLive() {
        const ask = (command) => () => this.run(command);
        this.controls = [this.button(this.runs, '◀◀', 'Continue backwards', ask('reverseContinue')),
                         this.button(this.runs, 'Back', 'Step back', ask('stepBack')),
                         this.button(this.runs, 'Over', 'Step over', ask('next')),
                         this.button(this.runs, 'Into', 'Step into', ask('stepIn')),
                         this.button(this.runs, '▶▶', 'Continue', ask('continue'))];
        this.restarts = this.button(this.runs, 'Restart', 'Run again from the beginning', () => this.restart());
        this.pauses = this.button(this.runs, '❚❚', 'Pause', () => this.send('pause', { threadId: this.thread }));
        this.source.transport.onEvent = (event, body) => this.takeEvent(event, body);
        this.refresh();
    },

    send(command, args) {
        return this.source.transport.request(command, args).catch((error) => this.complain(error));
    },

    complain(error) {
        this.clock.textContent = error.message;
        this.clock.className = 'bad';
        this.said.textContent = error.message;
    },

    run(command) {
        this.stop();
        return this.send(command, { threadId: this.thread });
    },

    addExpression(text) {
        const image = imageOf(text);
        if (image) {
            this.source.images = [image, ...this.source.images.filter((one) => one.expression !== image.expression)].slice(0, 4);
            return this.refresh();
        }
        this.source.expressions = [text, ...this.source.expressions.filter((one) => one !== text)].slice(0, 8);
        this.expression.replaceChildren();
        if (this.kind.value === 'state')
            this.kind.value = 'text';
        return this.refresh();
    },

    takeEvent(event, body) {
        if (event === 'stopped') {
            performance.mark('wavetrap stopped');
            this.thread = body.threadId;
            this.reason = body;
            this.refresh();
        } else if (event === 'continued') {
            this.setRuns(true);
        } else if (event === 'invalidated' || event === 'wavetrap/selected') {
            if (body.threadId)
                this.thread = body.threadId;
            if (event === 'invalidated' && (body.areas || []).includes('variables'))
                this.refresh();
        } else if (event === 'terminated') {
            this.setRuns(false);
            this.complain(new Error('the program has ended'));
            for (const button of [...this.controls, this.pauses])
                button.disabled = true;
        }
    },

    restart() {
        this.stop();
        return this.send('restart', {});
    },

    setRuns(runs) {
        for (const button of this.controls)
            button.disabled = runs;
        this.pauses.disabled = !runs;
    },

    /** Another front end has begun the session: it restarts the program, and where the page only looks it sets the program going, too. */
    join(how) {
        this.restarts.hidden = true;
        this.runs.hidden = how === 'looks';
        for (const control of this.timeBar.querySelectorAll('button, input'))
            control.disabled = how === 'looks';
    },

    /** Fetches and shows the grid; of several calls at once the last one counts, and two are under way at most. */
    async refresh() {
        if (this.fetching) {
            this.again = true;
            return;
        }
        this.fetching = true;
        do {
            this.again = false;
            await this.fetchGrid();
        } while (this.again);
        this.fetching = false;
    },

    async fetchGrid() {
        const number = this.asked = (this.asked || 0) + 1;
        try {
            const body = await this.source.grid();
            if (number !== this.asked)
                return;
            this.setRuns(false);
            this.clock.className = '';
            if (body.joined)
                this.join(body.joined);
            this.thread = body.threadId;
            this.grid.selected = null;
            this.take(body, 0);
            if (body.atEnd && !this.isOpen && !body.joined && !window.acquireVsCodeApi)
                this.openElsewhere(body);
            this.isOpen = true;
            if (this.reason && this.reason.description)
                this.said.textContent = this.reason.description;
            requestAnimationFrame(() => setTimeout(() => {
                performance.mark('wavetrap painted');
                if (performance.getEntriesByName('wavetrap stopped').length)
                    performance.measure('wavetrap refresh', 'wavetrap stopped', 'wavetrap painted');
            }));
        } catch (error) {
            if (/runs/.test(error.message))
                this.setRuns(true);
            else
                this.complain(error);
        } finally {
            if (number === this.asked && this.arrived)
                this.arrived();
        }
    },

    /** At the end of a run little is left to see: the page opens at the first finding, else where most lanes are masked off. */
    async openElsewhere(body) {
        let touched = false; /* then who looks has gone elsewhere */
        if (this.openFinding() || body.start === undefined)
            return;
        for (const event of ['pointerdown', 'keydown'])
            addEventListener(event, () => touched = true, { once: true, capture: true });
        try {
            const run = new Model(await this.source.transport.request('wavetrap/recording', { frames: 24 }));
            if (!touched && this.model.body.now === body.now)
                this.goTo(run.frames[run.firstFrame()].time);
        } catch (error) {
            this.complain(error);
        }
    },

    /** Goes to an issue time. While one journey is under way only the last wish is kept. */
    async goTo(time) {
        this.wished = time;
        if (this.going)
            return;
        this.going = true;
        while (this.wished !== null) {
            const to = this.wished;
            this.wished = null;
            const here = new Promise((resolve) => this.arrived = resolve);
            if (await this.send('wavetrap/goto', { time: to }))
                await here;
        }
        this.going = false;
    },
});
