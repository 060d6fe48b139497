/* Findings of --check: a list, and of the chosen one its accesses, as cells that a line joins, as lines of source, and as times to go to. */
'use strict';

Object.assign(View.prototype, {
    /** The chosen finding's accesses in their order of time, with their marks. */
    accesses() {
        const finding = (this.model.body.findings || []).find((one) => one.number === this.chosen);
        const places = finding ? [...finding.places].sort((a, b) => (a.time ?? Infinity) - (b.time ?? Infinity)) : [];
        return places.map((place, i) => ({ ...place, mark: places.length > 1 ? String(i + 1) : '!' }));
    },

    /** A recording that is about a finding opens at its last access. */
    openFinding() {
        this.chosen = this.model.body.finding;
        const last = this.accesses().filter((one) => this.model.frameAt(one.time) !== null).pop();
        if (last)
            this.goToAccess(last);
    },

    /** Goes to the time of an access, and selects its lane. */
    async goToAccess(access) {
        this.stop();
        const lane = Math.max(0, lanesOf(access.lanes, 128).indexOf(true));
        if (this.source.isLive) {
            await this.goTo(access.time);
            await this.send('wavetrap/select', { wave: access.wave, lane });
            return this.refresh();
        }
        this.frame = this.model.frameAt(access.time);
        this.selectWave(access.wave, lane);
        this.show();
        const row = this.selectedRow();
        if (row)
            this.grid.reveal(row);
        return null;
    },

    isReached(access) {
        return access.wave !== undefined && (this.source.isLive ? access.time >= this.model.body.start : this.model.frameAt(access.time) !== null);
    },

    showFindings() {
        const list = this.model.body.findings || [], accesses = this.accesses();
        this.grid.linked = accesses.map((one) => ({ mark: one.mark, key: this.rowKeyOf(one), lanes: lanesOf(one.lanes || '', 128) }));
        const shown = JSON.stringify([list.length, this.chosen, this.model.body.start]);
        if (shown === this.found.dataset.shown)
            return;
        this.found.dataset.shown = shown;
        this.found.replaceChildren();
        if (list.length)
            this.found.append(element('h2', '', `${list.length} finding${list.length > 1 ? 's' : ''} of --check`));
        for (const finding of list) {
            const [title, ...rest] = finding.text.trim().split('\n');
            const button = this.button(this.found, title.replace(/^wavetrap: /, ''), 'Show this finding', () => {
                this.chosen = this.chosen === finding.number ? null : finding.number;
                this.show();
            });
            button.className = 'finding';
            button.setAttribute('aria-pressed', String(this.chosen === finding.number));
            if (this.chosen !== finding.number)
                continue;
            accesses.forEach((one) => this.addAccess(one));
            this.addPlay(accesses.filter((one) => this.isReached(one)));
            const whole = this.found.appendChild(element('details'));
            whole.append(element('summary', '', 'The whole report'), element('pre', '', rest.join('\n')));
        }
    },

    rowKeyOf(access) {
        const wave = this.model.body.waves.find((one) => one.id === access.wave);
        return wave ? (this.way.value === 'core' ? slotKey(wave) : workKey(wave)) : null;
    },

    addAccess(access) {
        const where = (access.access ? `${access.access}: ` : '') + (access.function || '') + (access.line ? ` ${access.path.split('/').pop()}:${access.line}` : '') || 'an unknown place';
        const box = this.found.appendChild(element('div', 'access'));
        box.append(element('b', 'mark', access.mark));
        if (this.isReached(access))
            this.button(box, where, `To access ${access.mark}`, () => this.goToAccess(access));
        else
            box.append(element('span', '', where));
        box.append(element('span', 'about', access.wave === undefined ? 'by the host'
            : this.isReached(access) ? `issue time ${access.time.toLocaleString('en')}` : 'in another launch'));
        const text = this.source.isLive ? null : this.model.body.sources[access.path];
        if (text)
            box.append(element('code', '', (text.split('\n')[access.line - 1] || '').trim()));
    },

    /** A button that plays from the first access to the last one. */
    addPlay(accesses) {
        if (this.source.isLive || accesses.length < 2)
            return;
        const [first, last] = accesses;
        this.button(this.found, `▶ from ${first.mark} to ${last.mark}`, 'Play from the first access to the other one', () => {
            this.goToAccess(first);
            this.play(1, this.model.frameAt(last.time));
        });
    },

    placeOfFinding() {
        return this.accesses().filter((one) => one.line).pop() || null;
    },

    /** Marks a line of source at which an access of the chosen finding is. */
    markAccess(row, path, line) {
        const marks = this.accesses().filter((one) => one.path === path && one.line === line).map((one) => one.mark);
        if (this.chosen)
            row.append(element('td', 'mark', [...new Set(marks)].join(' ')));
        if (marks.length)
            row.className += ' accessed';
    },
});
