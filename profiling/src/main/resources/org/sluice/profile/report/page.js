'use strict';
const profile = JSON.parse(document.getElementById('profile').textContent);
const SVG = 'http://www.w3.org/2000/svg';

// ---- words and numbers ----

const count = n => n.toLocaleString('en-US');
const percent = p => (p === 0 ? '0' : p < 0.01 ? '<0.01' : p.toFixed(2)) + ' %';
const roughPercent = p => (p > 0 && p < 1 ? '<1' : p > 99 && p < 100 ? '>99' : p.toFixed(0)) + ' %';

function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  for (; n >= 1024 && unit < units.length - 1; unit++) n /= 1024;
  return (unit === 0 || n >= 100 || n === Math.round(n) ? Math.round(n) : n.toFixed(1)) + ' ' + units[unit];
}

function seconds(s) {
  if (s === 0) return '0 s';
  if (s < 1e-3) return (s * 1e6).toPrecision(3) + ' µs';
  if (s < 1) return (s * 1e3).toPrecision(3) + ' ms';
  return s < 120 ? s.toPrecision(3) + ' s' : s < 7200 ? (s / 60).toFixed(1) + ' min' : (s / 3600).toFixed(1) + ' h';
}

// ---- elements ----

function add(parent, name, attributes = {}, text) {
  const inSvg = name === 'svg' || parent.namespaceURI === SVG;
  const element = inSvg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

const at = id => document.getElementById(id);

function row(table, cells) {
  const tr = add(table.querySelector('tbody'), 'tr');
  for (const cell of cells) add(tr, 'td', {}, cell);
  return tr;
}

function bar(tr, share, colour) {
  const cell = add(add(tr, 'td', { class: 'share' }), 'div', { class: 'bar' });
  const track = add(cell, 'i');
  if (share > 0) add(track, 'b', { style: `width:max(2px,${share}%);background:var(--${colour})` });
  add(cell, 'span', share === 0 ? { class: 'none' } : {}, share === 0 ? '–' : share.toFixed(2));
}

function legend(parent, entries) {
  const box = add(parent, 'div', { class: 'legend' });
  for (const [colour, text] of entries) {
    const entry = add(box, 'span');
    add(entry, 'i', { style: `background:${colour}` });
    entry.append(text);
  }
}

function stack(parent, parts) {
  const box = add(parent, 'div', { class: 'stack' });
  for (const [colour, text, share] of parts) {
    add(box, 'b', { style: `width:${share}%;background:${colour}`, title: `${text}: ${percent(share)}` });
  }
  legend(parent, parts.map(([colour, text, share]) => [colour, `${text} ${roughPercent(share)}`]));
}

// ---- the parts of the page ----

function drawHead() {
  const processes = profile.processes === 1 ? '1 process' : `${count(profile.processes)} processes`;
  const nodes = profile.nodes.length === 1 ? '1 node' : `${profile.nodes.length} nodes`;
  document.title = `Write profile: ${profile.name}`;
  at('source').textContent = `Write profile of ${profile.name} · ${profile.kind} · ${processes} on ${nodes}`;
  at('headline').textContent = profile.headline;
}

function drawTiles() {
  const { total, sequential, bursts, phases } = profile;
  const tile = (name, value, note) => {
    const box = add(at('tiles'), 'div');
    add(box, 'dt', {}, name);
    const dd = add(box, 'dd', {}, value);
    add(dd, 'small', {}, ' ' + note);
  };
  const mean = total.writes ? total.bytes / total.writes : 0;
  const inBursts = total.writes ? 100 * bursts.writes / total.writes : 0;
  tile('writes', count(total.writes), '');
  tile('data', bytes(total.bytes), '');
  tile('mean write', bytes(mean), '');
  tile('time in writes', seconds(total.seconds), `in ${phases.length === 1 ? '1 phase' : phases.length + ' phases'}`);
  tile('sequential', roughPercent(sequential.percent_of_writes), 'of writes');
  tile('in small bursts', roughPercent(inBursts), 'of writes');
}

function drawClasses() {
  for (const c of profile.classes) {
    const tr = row(at('classes'), [c.label, count(c.writes), bytes(c.bytes)]);
    bar(tr, c.percent_of_writes, 'writes');
    bar(tr, c.percent_of_data, 'data');
    bar(tr, c.percent_of_time, 'time');
  }
}

function drawCumulative() {
  const width = 560, height = 270, left = 44, right = 12, top = 8, bottom = 28;
  const points = profile.cumulative;
  if (!points.length) return;
  const svg = add(at('cumulative'), 'svg', { viewBox: `0 0 ${width} ${height}`, role: 'img' });
  const least = Math.floor(Math.log2(Math.max(1, points[0][0])) / 2) * 2;
  const most = Math.max(least + 2, Math.ceil(Math.log2(points.at(-1)[0]) / 2) * 2);
  const x = size => left + (Math.log2(Math.max(1, size)) - least) / (most - least) * (width - left - right);
  const y = p => height - bottom - p / 100 * (height - top - bottom);
  for (const p of [0, 25, 50, 75, 100]) {
    add(svg, 'line', { x1: left, x2: width - right, y1: y(p), y2: y(p), stroke: 'var(--line)' });
    add(svg, 'text', { x: left - 6, y: y(p) + 4, 'text-anchor': 'end' }, p + ' %');
  }
  const step = most - least > 20 ? 4 : 2;
  for (let power = least; power <= most; power += step) {
    const anchor = power === most ? 'end' : 'middle';
    add(svg, 'text', { x: x(2 ** power), y: height - 8, 'text-anchor': anchor }, bytes(2 ** power));
  }
  [['writes', 1], ['data', 2], ['time', 3]].forEach(([name, column]) => {
    let path = `M${x(2 ** least)},${y(0)}`;
    let last = 0;
    for (const point of points) {
      path += `L${x(point[0]).toFixed(1)},${y(last).toFixed(1)}V${y(point[column]).toFixed(1)}`;
      last = point[column];
    }
    path += `H${width - right}`;
    const line = add(svg, 'path', { d: path, fill: 'none', stroke: `var(--${name})`, 'stroke-width': 2.5 });
    line.id = `cumulative-${name}`;
  });
  legend(at('cumulative'), [['var(--writes)', 'writes'], ['var(--data)', 'data'], ['var(--time)', 'time']]);
}

function drawOrder() {
  const sequential = profile.sequential.percent_of_writes;
  stack(at('order'), [
    ['var(--good)', 'sequential', sequential],
    ['var(--data)', 'elsewhere', Math.max(0, 100 - sequential)],
  ]);
  const { bursts, total } = profile;
  at('bursts').textContent = bursts.count === 0
    ? `None: nowhere do ${bursts.least_writes} writes below ${bytes(bursts.below_bytes)} follow one another closely.`
    : `${count(bursts.count)} bursts of ${bursts.least_writes} or more writes below ${bytes(bursts.below_bytes)}, `
      + `${count(Math.round(bursts.writes / bursts.count))} writes and ${bytes(bursts.bytes / bursts.count)} on average, `
      + `the longest of ${count(bursts.longest)}. They are ${percent(100 * bursts.writes / total.writes)} of the writes `
      + `and ${percent(100 * bursts.bytes / Math.max(1, total.bytes))} of the data.`;
  drawRoutes();
}

function drawRoutes() {
  const names = {
    logged: ['var(--writes)', 'into the buffer'],
    direct: ['var(--data)', 'direct to the file'],
    plain: ['var(--soft)', 'not captured'],
  };
  const parts = Object.entries(names)
    .filter(([route]) => profile.routes[route])
    .map(([route, [colour, text]]) => [colour, text, profile.routes[route].percent_of_data]);
  if (!parts.length) return;
  add(at('routes'), 'h2', {}, 'The way of the data');
  stack(at('routes'), parts);
}

// ---- pictures over time: pauses between phases are cut out ----

const area = { width: 1180, left: 84, right: 4 };

function columnX(column) {
  const gaps = profile.timeline.phase_columns.filter(end => end <= column).length;
  const last = profile.timeline.phase_columns.length - 1;
  const room = area.width - area.left - area.right - 10 * last;
  return area.left + column / profile.timeline.columns * room + 10 * Math.min(gaps, last);
}

const columnWidth = column =>
  (area.width - area.left - area.right - 10 * (profile.phases.length - 1)) / profile.timeline.columns;

function drawPhaseAxis(svg, y) {
  let first = 0;
  let free = 0;
  profile.phases.forEach((phase, i) => {
    const x = columnX(first);
    first = profile.timeline.phase_columns[i];
    if (x < free) return;
    const text = profile.phases.length === 1 ? '0 s' : 'at ' + seconds(phase.start_seconds);
    add(svg, 'text', { x, y }, text);
    free = x + 12 + 7 * text.length;
  });
  if (profile.phases.length === 1) {
    add(svg, 'text', { x: area.width - area.right, y, 'text-anchor': 'end' }, seconds(profile.phases[0].seconds));
  }
}

function drawTimeline() {
  if (!profile.timeline) {
    at('timeline-section').remove();
    return;
  }
  const lines = profile.timeline.lines;
  const pitch = lines.length > 32 ? 9 : lines.length > 12 ? 15 : 22;
  const height = lines.length * pitch + 22;
  const svg = add(at('timeline'), 'svg', { viewBox: `0 0 ${area.width} ${height}`, role: 'img', 'shape-rendering': 'crispEdges' });
  lines.forEach((line, i) => {
    const y = i * pitch;
    if (pitch > 12 || i % 4 === 0) {
      add(svg, 'text', { x: area.left - 8, y: y + pitch / 2 + 4, 'text-anchor': 'end' }, line.label);
    }
    for (let column = 0; column < profile.timeline.columns; column++) {
      const busy = line.busy[column];
      const cell = add(svg, 'rect', {
        x: columnX(column).toFixed(2), y, width: (columnWidth(column) + 0.3).toFixed(2), height: pitch - 2,
        fill: busy > 0 ? 'var(--writes)' : 'var(--track)',
        'fill-opacity': busy > 0 ? (0.18 + 0.82 * busy).toFixed(2) : 1,
      });
      if (busy > 0) add(cell, 'title', {}, `${line.label}: ${percent(100 * busy)} of this moment in writes`);
    }
  });
  drawPhaseAxis(svg, height - 5);
  const phases = profile.phases;
  const longest = Math.max(...phases.map(p => p.seconds));
  at('timeline-hint').textContent = 'Stronger: more of the time in writes. '
    + (phases.length === 1 ? `One phase of ${seconds(longest)}.`
      : `${phases.length} phases, the longest of ${seconds(longest)}; the pauses between them are cut out.`);
}

function drawHeat() {
  if (!profile.heat) {
    at('heat-section').remove();
    return;
  }
  const rows = profile.heat.rows;
  const pitch = 6;
  const height = rows.length * pitch + 24;
  const most = Math.log1p(Math.max(...rows.map(cells => Math.max(...cells))));
  const svg = add(at('heat'), 'svg', { viewBox: `0 0 ${area.width} ${height}`, role: 'img', 'shape-rendering': 'crispEdges' });
  rows.forEach((cells, i) => {
    const y = (rows.length - 1 - i) * pitch;
    cells.forEach((value, column) => {
      if (value <= 0) return;
      const cell = add(svg, 'rect', {
        x: columnX(column).toFixed(2), y, width: (columnWidth(column) + 0.3).toFixed(2), height: pitch,
        fill: 'var(--data)', 'fill-opacity': (0.12 + 0.88 * (Math.log1p(value) / most) ** 2).toFixed(2),
      });
      add(cell, 'title', {}, `${bytes(value)} at offsets from ${bytes(profile.heat.farthest * i / rows.length)}`);
    });
  });
  for (const share of [0, 0.5, 1]) {
    const y = (1 - share) * rows.length * pitch;
    add(svg, 'line', { x1: area.left, x2: area.width, y1: y, y2: y, stroke: 'var(--line)' });
    add(svg, 'text', { x: area.left - 8, y: share === 1 ? 11 : y + 3, 'text-anchor': 'end' }, bytes(profile.heat.farthest * share));
  }
  drawPhaseAxis(svg, height - 5);
}

function drawFiles() {
  const shown = profile.files.slice(0, 40);
  for (const f of shown) {
    const tr = row(at('files'), [f.path, count(f.writers), count(f.writes), bytes(f.bytes),
      bytes(f.bytes / Math.max(1, f.writes)), roughPercent(f.percent_sequential)]);
    bar(tr, f.percent_of_data, 'data');
  }
  const more = profile.file_count - shown.length;
  at('more-files').textContent = more > 0 ? `and ${count(more)} more` : '';
}

function drawNodes() {
  for (const n of profile.nodes) {
    row(at('nodes'), [n.node, count(n.processes), count(n.writes), count(Math.round(n.writes / n.processes)),
      bytes(n.bytes), seconds(n.seconds), seconds(n.span_seconds)]);
  }
}

function drawOmissions() {
  const { skipped, first, notes } = profile.omissions;
  if (!skipped && !notes.length) {
    at('omissions').remove();
    return;
  }
  const list = at('omissions').querySelector('ul');
  for (const note of notes) add(list, 'li', {}, note);
  if (skipped) {
    const entry = add(list, 'li', {}, `${count(skipped)} lines or records were skipped, such as`);
    const places = add(entry, 'ul');
    for (const place of first) add(places, 'li', {}, place);
  }
}

drawHead();
drawTiles();
drawClasses();
drawCumulative();
drawOrder();
drawTimeline();
drawHeat();
drawFiles();
drawNodes();
drawOmissions();
