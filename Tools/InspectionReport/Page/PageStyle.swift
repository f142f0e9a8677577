/// How a page looks, on light and on dark ground, on a telephone, and on paper.
enum PageStyle {
  static let markup = Markup(stringLiteral: source)

  static let source: StaticString = """

    :root { color-scheme: light dark; --ground: #f6f7f9; --surface: #ffffff; --line: #d5dae1; --text: #1b222c; --faint: #566070;
      --accent: #1a56b0; --good: #176b3a; --good-ground: #e0f3e7; --warning: #805000; --warning-ground: #fdf0d5;
      --error: #a81e2b; --error-ground: #fde4e5; --hint: #37506e; --hint-ground: #e5edf6;
      --d0: #2f6fd0; --d1: #c05a12; --d2: #2b8a57; --d3: #8e4ec6; --d4: #b83280; --d5: #0d7f8c; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #11151b; --surface: #1a2029; --line: #343d4a; --text: #e7ebf1; --faint: #a3aebd;
        --accent: #86b6ff; --good: #7fdca4; --good-ground: #143623; --warning: #f4c56a; --warning-ground: #3a2b0c;
        --error: #ff9aa2; --error-ground: #461a1f; --hint: #a9c6e8; --hint-ground: #1f3048;
        --d0: #6ea4f7; --d1: #f0955a; --d2: #5fc98e; --d3: #bd8df0; --d4: #ee83bd; --d5: #4fc3d0; } }
    * { box-sizing: border-box; }
    html { scroll-padding-top: 1rem; }
    body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
    header, main, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
    header { padding-top: 2rem; }
    .kicker { margin: 0; color: var(--faint); font-size: .85rem; letter-spacing: .06em; text-transform: uppercase; }
    h1 { margin: .1rem 0; font-size: 1.9rem; line-height: 1.25; overflow-wrap: anywhere; }
    h2 { margin: 0 0 .75rem; font-size: 1.3rem; }
    h3 { margin: 0 0 .25rem; font-size: 1.1rem; overflow-wrap: anywhere; }
    h3 small { color: var(--faint); font-weight: 400; }
    .made, footer { color: var(--faint); }
    nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 1rem 0; padding: 0; list-style: none; }
    a { color: var(--accent); text-underline-offset: .2em; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
    .skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--surface); }
    .skip:focus { left: .5rem; top: .5rem; }
    section, article { background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin: 0 0 1.25rem; }
    article { padding: 1rem; background: var(--ground); }
    article:last-child { margin-bottom: 0; }
    .verdict { margin: 0 0 1rem; padding: .75rem 1rem; border-radius: .5rem; border-left: .35rem solid; }
    .good { color: var(--good); background: var(--good-ground); }
    .warning { color: var(--warning); background: var(--warning-ground); }
    .error { color: var(--error); background: var(--error-ground); }
    .hint { color: var(--hint); background: var(--hint-ground); }
    .badge { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .85rem; font-weight: 600; white-space: nowrap; }
    .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 0 0 1rem; }
    .figures div { padding: .6rem .9rem; border: 1px solid var(--line); border-radius: .5rem; }
    dt { color: var(--faint); font-size: .85rem; }
    dd { margin: 0; font-size: 1.35rem; font-weight: 600; font-variant-numeric: tabular-nums; }
    .scroll { overflow-x: auto; margin: .75rem 0; }
    table { border-collapse: collapse; width: 100%; font-size: .92rem; }
    caption { text-align: left; font-weight: 600; padding: .25rem 0; }
    th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
    thead th { color: var(--faint); font-size: .82rem; font-weight: 600; white-space: nowrap; }
    tbody th { font-weight: 600; }
    .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    code, .path { font-family: ui-monospace, monospace; font-size: .86rem; }
    .path, .value { overflow-wrap: anywhere; }
    .findings td { min-width: 9rem; }
    .findings td:first-child { min-width: 0; }
    .codes { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; padding: 0; list-style: none; }
    .matrix { width: auto; }
    .matrix td { text-align: center; border: 1px solid var(--line); white-space: nowrap; }
    .matrix thead th { text-align: center; white-space: normal; }
    .matrix .all { color: var(--good); background: var(--good-ground); }
    .matrix .behind { color: var(--warning); background: var(--warning-ground); font-weight: 600; }
    .matrix .self, .matrix .unknown { color: var(--faint); }
    .timeline .chart { width: 70%; min-width: 14rem; }
    svg { display: block; width: 100%; }
    .timeline svg { height: 2rem; }
    .growth { height: 9rem; border: 1px solid var(--line); border-radius: .35rem; }
    .growth polygon { fill: var(--d0); opacity: .75; }
    .axis, .grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
    .device-0 rect { fill: var(--d0); } .device-1 rect { fill: var(--d1); } .device-2 rect { fill: var(--d2); }
    .device-3 rect { fill: var(--d3); } .device-4 rect { fill: var(--d4); } .device-5 rect { fill: var(--d5); }
    figure { margin: 1rem 0 0; }
    figcaption { font-weight: 600; font-size: .92rem; margin-bottom: .35rem; }
    summary { cursor: pointer; padding: .25rem 0; overflow-wrap: anywhere; }
    .list > details { border-bottom: 1px solid var(--line); }
    time { font-variant-numeric: tabular-nums; color: var(--faint); }
    .count, .role { color: var(--faint); font-size: .88rem; }
    .tree ul { list-style: none; margin: 0; padding-left: 1.1rem; border-left: 1px solid var(--line); }
    .tree > ul { padding-left: 0; border: 0; }
    .tree li { overflow-wrap: anywhere; }
    .rest { color: var(--faint); font-style: italic; }
    .filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .75rem 0; }
    .filter[hidden], [hidden] { display: none; }
    input, select, button { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--faint); border-radius: .4rem; padding: .25rem .6rem; }
    button { cursor: pointer; }
    footer { padding-bottom: 2rem; font-size: .9rem; }
    @media (max-width: 40rem) { section { padding: .9rem; } article { padding: .75rem; } h1 { font-size: 1.4rem; } th, td { padding: .3rem .4rem; } }
    @media print { .filter, nav, .skip { display: none; } section, article { border: 0; padding: 0; break-inside: avoid-page; } }

    """
}
