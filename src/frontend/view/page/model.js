/* What the grid shows, computed from an answer to "wavetrap/grid" or "wavetrap/recording" (docs/view.md). Nothing here draws. */
'use strict';

/** The states of a cell, in the order of the legend. */
const NONE = 0, RUNNING = 1, MASKED = 2, BARRIER = 3, FAULTED = 4, NOT_BEGUN = 5, ENDED = 6;
const STATE_NAMES = ['no lane', 'running', 'masked off', 'at a barrier', 'faulted', 'not begun', 'ended'];

/** Lanes of a hexadecimal mask, as a list of booleans. */
function lanesOf(hex, count) {
    const lanes = [];
    for (let i = 0; i < count; i += 4) {
        const at = hex.length - 1 - (i >> 2), digit = at >= 0 ? parseInt(hex[at], 16) : 0;
        for (let k = 0; k < 4 && i + k < count; k++)
            lanes.push((digit >> k & 1) === 1);
    }
    return lanes;
}

/** "1 2 3", of many the first ones and the last one. */
function marksText(marks) {
    const all = [...new Set(marks)];
    return (all.length > 6 ? [...all.slice(0, 3), '…', ...all.slice(-1)] : all).join(' ');
}

/** "0..3, 7" */
function lanesText(lanes) {
    const parts = [];
    for (let i = 0; i < lanes.length; i++) {
        if (!lanes[i])
            continue;
        let end = i;
        while (lanes[end + 1])
            end++;
        parts.push(end > i ? `${i}..${end}` : `${i}`);
        i = end;
    }
    return parts.join(', ') || 'none';
}

/** Puts the values of lanes back where they belong in a packed recording (page.c): `columns` has them by id of waves, by expression, by lane;
 * 0 is the value before; of counts of lines 0 is that of the frame before. */
function unpacked(body) {
    const next = body.columns[Symbol.iterator]();
    for (let first = 0, end; first < body.waves.length; first = end) {
        for (end = first + 1; end < body.waves.length && body.waves[end].id === body.waves[first].id;)
            end++;
        const waves = body.waves.slice(first, end);
        body.expressions.forEach((_text, e) => {
            const taken = waves.filter((wave) => wave.values && wave.values[e] === 0);
            taken.forEach((wave) => wave.values[e] = { each: new Array(wave.lanes) });
            for (let lane = 0; lane < waves[0].lanes; lane++) {
                let before = null;
                next.next().value.forEach((value, i) => taken[i].values[e].each[lane] = before = value === 0 ? before : value);
            }
        });
    }
    delete body.columns;
    body.frames.forEach((frame, at) => frame.counts && (frame.counts = frame.counts.map((one, i) => one || body.frames[at - 1].counts[i])));
    return body;
}

/** The bytes of a text in base64. */
function bytesOf(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return bytes;
}

const decoded = new WeakMap();

/** What is computed once of each wave: `states` and `pcs` of its lanes. A lane's pc is the wave's, or, of one that is masked off, where it
 * wakes up. */
function lanesOfWave(wave) {
    let lanes = decoded.get(wave);
    if (lanes)
        return lanes;
    lanes = { states: stateList(wave), pcs: new Array(wave.lanes).fill(wave.running ? null : wave.pc) };
    if (!wave.running) {
        const enabled = lanesOf(wave.mask, wave.lanes);
        for (const waiter of [...(wave.waiters || [])].reverse())
            lanesOf(waiter.lanes, wave.lanes).forEach((on, lane) => {
                if (on && !enabled[lane])
                    lanes.pcs[lane] = waiter.pc;
            });
    }
    decoded.set(wave, lanes);
    return lanes;
}

/** How many lanes of a wave are at each pc, [running, masked off] by pc; computed once of each wave. */
function placesOfWave(wave) {
    const lanes = lanesOfWave(wave);
    if (lanes.places)
        return lanes.places;
    lanes.places = new Map();
    lanes.states.forEach((state, lane) => {
        const pc = lanes.pcs[lane], counts = lanes.places.get(pc) || [0, 0];
        if (state === NONE)
            return;
        counts[state === MASKED ? 1 : 0]++;
        lanes.places.set(pc, counts);
    });
    return lanes.places;
}

const statesOf = (wave) => lanesOfWave(wave).states;
const pcOf = (wave, lane) => lanesOfWave(wave).pcs[lane];

function stateList(wave) {
    const count = wave.lanes;
    if (wave.running)
        return new Array(count).fill(RUNNING);
    const enabled = lanesOf(wave.mask, count);
    const faulted = wave.faulted ? lanesOf(wave.faulted, count) : [];
    return enabled.map((on, lane) => faulted[lane] ? FAULTED
        : on ? (wave.barrier ? BARRIER : RUNNING)
            : wave.items !== undefined && lane >= wave.items ? NONE : MASKED);
}

/** How many lanes of a wave are masked off. */
const maskedOf = (wave) => statesOf(wave).filter((state) => state === MASKED).length;

/** The work-item of a lane in its group, [x, y, z]; null: the wave has no grid. */
function itemOf(wave, lane, dispatch) {
    const size = wave.block && wave.block[0] ? wave.block : null;
    if (!size)
        return null;
    const grid = dispatch && dispatch.items;
    let n = wave.first + lane;
    return size.map((block, axis) => {
        const begin = wave.group[axis] * block;
        const here = grid && begin < grid[axis] && grid[axis] - begin < block ? grid[axis] - begin : block;
        const at = axis === 2 ? n : n % here;
        n = Math.floor(n / here);
        return at;
    });
}

/** The value of an expression in a lane, as a text; null: there is none. */
function valueOf(wave, expression, lane) {
    const values = wave.values && wave.values[expression];
    if (!values)
        return null;
    return values.all !== undefined ? values.all : values.each ? values.each[lane] : null;
}

/** Why no lane of a wave has a value. */
function whyNot(wave, expression) {
    return wave.values && wave.values[expression] ? wave.values[expression].why || null : null;
}

/** The number that a value's text begins with; null: none. */
function numberOf(text) {
    const found = /^(?:\([^)]*\) )?(-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?))(?![\w.])/i.exec(text || '');
    return found ? Number(found[1].startsWith('-0x') ? -Number(found[1].slice(1)) : found[1])
        : text === 'true' ? 1 : text === 'false' ? 0 : null;
}

const RAMP = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

/** Red, green and blue for a number of 0 to 1. */
function rampOf(x) {
    const at = Math.min(Math.max(x, 0), 1) * (RAMP.length - 1), i = Math.min(Math.floor(at), RAMP.length - 2);
    return RAMP[i].map((c, k) => Math.round(c + (RAMP[i + 1][k] - c) * (at - i)));
}

const rampColour = (x) => `rgb(${rampOf(x).join(',')})`;

/** Where a number is between the ends of a range, 0 to 1: on a logarithmic scale, where a range is wide. */
function shareOf(number, range) {
    const scaled = (x) => range.isLogarithmic ? Math.log1p(x - range[0]) : x - range[0];
    return range[1] > range[0] ? scaled(number) / scaled(range[1]) : .5;
}

/** The least and the greatest number of an expression among waves; null: no value is a number. */
function rangeOf(waves, expression) {
    let low = Infinity, high = -Infinity;
    for (const wave of waves) {
        const values = wave.values && wave.values[expression];
        for (const text of !values ? [] : values.all !== undefined ? [values.all] : values.each || []) {
            const number = numberOf(text);
            if (number !== null) {
                low = Math.min(low, number);
                high = Math.max(high, number);
            }
        }
    }
    return low <= high ? Object.assign([low, high], { isLogarithmic: high - low > 1000 }) : null;
}

/** The masks of a wave's divergence as a tree: each node is a set of lanes, the leaves are at a place. */
function divergenceOf(wave) {
    const all = new Array(wave.lanes).fill(true);
    const root = { lanes: all, pc: null, enabled: false, children: [] };
    if (wave.running)
        return root;
    let node = root, rest = all;
    /* The outermost waits longest: it is the last of the list. */
    for (const waiter of [...(wave.waiters || [])].reverse()) {
        const waits = lanesOf(waiter.lanes, wave.lanes).map((on, i) => on && rest[i]);
        if (!waits.includes(true))
            continue;
        rest = rest.map((on, i) => on && !waits[i]);
        const inner = { lanes: rest, pc: null, enabled: false, children: [] };
        node.children.push(inner, { lanes: waits, pc: waiter.pc, enabled: false, children: [] });
        node = inner;
    }
    const enabled = lanesOf(wave.mask, wave.lanes);
    const idle = rest.map((on, i) => on && !enabled[i] && !(wave.items !== undefined && i >= wave.items));
    if (idle.includes(true) && enabled.includes(true)) {
        node.children.push({ lanes: enabled, pc: wave.pc, enabled: true, children: [] },
                           { lanes: idle, pc: null, enabled: false, children: [] });
    } else {
        node.enabled = enabled.includes(true);
        node.pc = node.enabled ? wave.pc : null;
    }
    return root;
}

const slotKey = (wave) => `s${wave.device}.${wave.core}.${wave.slot}`;
const workKey = (wave) => wave.dispatch === undefined ? slotKey(wave) : `w${wave.dispatch}.${wave.group.join('.')}.${wave.index}`;

/** A recording, or what is known of a live session: its frames, and rows that stay where they are while time moves. */
class Model {
    constructor(body) {
        this.body = body;
        this.frames = body.frames;
        this.places = body.places;
        this.rows = { core: [], group: [] };
        const met = { core: new Map(), group: new Map() };
        this.frames.forEach((frame, at) => frame.waves.forEach((index) => {
            const wave = body.waves[index];
            this.meet(met.core, slotKey(wave), wave, at);
            this.meet(met.group, workKey(wave), wave, at);
        }));
        for (const way of ['core', 'group'])
            this.rows[way] = [...met[way].values()].sort((a, b) => this.order(way, a.sample, b.sample));
        this.most = body.waves.reduce((most, wave) => Math.max(most, wave.lanes), 1);
        this.hasDevices = body.waves.some((wave) => wave.device);
        this.ranges = new Map(); /* by expression */
    }

    meet(met, key, wave, at) {
        if (!met.has(key))
            met.set(key, { key, sample: wave, first: at, last: at });
        met.get(key).last = at;
    }

    order(way, a, b) {
        const hardware = a.device - b.device || a.core - b.core || a.slot - b.slot;
        if (way === 'core' || a.dispatch === undefined || b.dispatch === undefined)
            return hardware;
        return a.dispatch - b.dispatch || a.group[2] - b.group[2] || a.group[1] - b.group[1] || a.group[0] - b.group[0] || a.index - b.index;
    }

    /** Where a recording opens: at the fault or the stop of its last frame, else at the frame with most lanes masked off, of these the one with most
     * waves. */
    firstFrame() {
        const last = this.frames.length - 1;
        if (this.isFaulted() || this.body.stop)
            return last;
        let best = 0, most = [-1, -1];
        this.frames.forEach((frame, at) => {
            const off = this.wavesAt(at).reduce((sum, wave) => sum + maskedOf(wave), 0);
            if (off > most[0] || (off === most[0] && frame.waves.length > most[1]))
                [best, most] = [at, [off, frame.waves.length]];
        });
        return best;
    }

    isFaulted() {
        return this.wavesAt(this.frames.length - 1).some((wave) => wave.faulted);
    }

    /** The wave and lane of a frame to look at first: of the fault, else of the wave with most lanes masked off, of those that are at a line of source and
     * have a lane that runs, if there are any; null: no wave is there. */
    firstLane(frame) {
        const waves = this.wavesAt(frame), shows = (one) => 2 * Boolean((this.places[one.pc] || {}).line) + lanesOf(one.mask, one.lanes).includes(true);
        const ahead = (a, b) => shows(a) - shows(b) || maskedOf(a) - maskedOf(b);
        const wave = waves.find((one) => one.faulted) || waves.reduce((a, b) => a && ahead(a, b) >= 0 ? a : b, null);
        if (!wave)
            return null;
        const states = statesOf(wave), wanted = wave.faulted ? FAULTED : states.includes(RUNNING) ? RUNNING : states.includes(BARRIER) ? BARRIER : MASKED;
        return { wave: wave.id, lane: Math.max(0, states.indexOf(wanted)) };
    }

    /** The frame of an issue time: the last one that is not after it; null: the recording begins later, or has no times. */
    frameAt(time) {
        const after = this.frames.findIndex((frame) => !(frame.time <= time));
        return after === 0 || time === undefined ? null : (after < 0 ? this.frames.length : after) - 1;
    }

    wavesAt(frame) {
        return this.frames[frame].waves.map((index) => this.body.waves[index]);
    }

    /** The rows of a frame: headings {title}, and {key, label, wave, state}; `state` where no wave is there. */
    layout(frame, way) {
        const key = way === 'core' ? slotKey : workKey, here = new Map();
        for (const wave of this.wavesAt(frame))
            here.set(key(wave), wave);
        const rows = [];
        let title = null;
        for (const row of this.rows[way]) {
            const heading = this.heading(way, row.sample);
            if (heading !== title)
                rows.push({ title: title = heading });
            const wave = here.get(row.key) || null;
            rows.push({ key: row.key, label: this.label(way, wave || row.sample), wave, lanes: row.sample.lanes, sample: row.sample,
                        state: wave ? null : frame < row.first ? NOT_BEGUN : frame > row.last ? ENDED : NONE });
        }
        return way === 'group' ? rows.concat(this.waiting(frame)) : rows;
    }

    /** Groups of the dispatches of a frame that no wave of the recording has been of: they have not begun. Groups begin in the order
     * of their numbers. */
    waiting(frame) {
        const rows = [];
        const dispatches = new Set(this.wavesAt(frame).filter((w) => w.dispatch !== undefined).map((w) => w.dispatch));
        for (const number of dispatches) {
            const dispatch = this.body.dispatches[number], [x, y, z] = dispatch ? dispatch.groups : [0, 0, 0];
            let last = -1;
            for (const row of this.rows.group)
                if (row.sample.dispatch === number)
                    last = Math.max(last, (row.sample.group[2] * y + row.sample.group[1]) * x + row.sample.group[0]);
            const count = x * y * z - last - 1;
            if (count > 0)
                rows.push({ title: `dispatch ${number}: ${count} more group${count > 1 ? 's have' : ' has'} not begun` });
        }
        return rows;
    }

    heading(way, wave) {
        const device = this.hasDevices ? `device ${wave.device} ` : '';
        if (way === 'core' || wave.dispatch === undefined)
            return `${device}core ${wave.core}`;
        const dispatch = this.body.dispatches[wave.dispatch];
        const kernel = dispatch && dispatch.kernel !== '?' ? ` ${dispatch.kernel}` : '';
        return `${device}dispatch ${wave.dispatch}${kernel}`;
    }

    label(way, wave) {
        return way === 'core' || wave.dispatch === undefined ? `${this.body.wave} ${wave.slot}` : `${this.groupText(wave)} ${this.body.wave} ${wave.index}`;
    }

    /** "(2,0)": as many coordinates as the dispatch has axes. */
    groupText(wave) {
        const dispatch = this.body.dispatches[wave.dispatch], groups = dispatch ? dispatch.groups : [1, 1, 1];
        return `(${wave.group.slice(0, groups[2] > 1 ? 3 : groups[1] > 1 ? 2 : 1).join(',')})`;
    }

    /** Where a lane is in hardware and in the program, for people. */
    coordinates(wave, lane) {
        const parts = [`${this.body.lane} ${lane} of ${this.body.wave} ${wave.slot} on core ${wave.core}`];
        if (wave.dispatch !== undefined) {
            const item = itemOf(wave, lane, this.body.dispatches[wave.dispatch]);
            parts.push(`dispatch ${wave.dispatch}, group (${wave.group.join(',')})` + (item ? `, item (${item.join(',')})` : ''));
        }
        return parts;
    }

    /** "draw() k.c:46" */
    placeText(pc) {
        const place = pc ? this.places[pc] : null;
        if (!place)
            return pc || '';
        const line = place.line ? ` ${place.path.split('/').pop()}:${place.line}` : ` ${pc}`;
        return (place.function ? place.function.replace(/[^)]$/, '$&()') : '') + line;
    }

    /** What lines of a file were counted to have done up to a frame: {issues, enabled, lanes, transactions} by line; null: nothing is
     * counted. */
    countsAt(frame, path) {
        const counts = this.frames[frame].counts, lines = new Map();
        for (const one of counts || []) {
            if (one.path !== path)
                continue;
            const sum = lines.get(one.line) || { issues: 0, enabled: 0, lanes: 0, transactions: 0 };
            for (const name of Object.keys(sum))
                sum[name] += one[name];
            lines.set(one.line, sum);
        }
        return counts ? lines : null;
    }

    /** The range of an expression in the whole recording. */
    rangeOf(expression) {
        if (!this.ranges.has(expression))
            this.ranges.set(expression, rangeOf(this.body.waves, expression));
        return this.ranges.get(expression);
    }

    /** How many lanes are at each line of a frame: [{path, line, function, running, waiting}], the fullest first. */
    crowd(frame) {
        if (this.crowded && this.crowded.frame === frame)
            return this.crowded.list;
        const found = new Map();
        for (const wave of this.wavesAt(frame)) {
            if (wave.running)
                continue;
            for (const [pc, counts] of placesOfWave(wave)) {
                const place = this.places[pc];
                if (!place)
                    continue;
                const key = place.key || (place.key = place.line ? `${place.path}:${place.line}` : pc);
                if (!found.has(key))
                    found.set(key, { path: place.path, line: place.line, text: this.placeText(pc), pc, running: 0, waiting: 0 });
                found.get(key).running += counts[0];
                found.get(key).waiting += counts[1];
            }
        }
        const list = [...found.values()].sort((a, b) => b.running + b.waiting - a.running - a.waiting || (a.text < b.text ? -1 : 1));
        this.crowded = { frame, list };
        return list;
    }
}

if (typeof module !== 'undefined')
    module.exports = { unpacked, NONE, RUNNING, MASKED, BARRIER, FAULTED, NOT_BEGUN, ENDED, STATE_NAMES, lanesOf, lanesText, statesOf, pcOf, itemOf, valueOf,
                       whyNot, numberOf, rampColour, rangeOf, shareOf, divergenceOf, Model };
