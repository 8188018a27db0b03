/** How the page looks: in light and in dark, on a wall and on a phone. */
import { COLOUR } from './verdict-signs.ts'

export const STYLE: string = `
:root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --line: #d0d7de; --mark: #fff3b0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --line: #3d444d; --mark: #5a4a00 } }
body { margin: 0 auto; max-width: 960px; padding: 1rem; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif }
a { color: inherit }
h1 { font-size: 1.7rem; line-height: 1.2 } h2 { margin-top: 3rem; border-top: 2px solid var(--line); padding-top: 1rem }
h3 { margin: 2.5rem 0 .5rem } h4 { margin: 1.5rem 0 .2rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
.verdicts td:nth-child(2), .verdicts td:nth-child(4) { min-width: 12rem }
.right, .right-until, .wrong { border-left: .35rem solid; padding-left: .5rem }
td .right, td .right-until, td .wrong { display: inline-block }
.right { border-color: ${COLOUR.right} } .right-until { border-color: ${COLOUR['right until']} } .wrong { border-color: ${COLOUR.wrong} }
.verdict { font-weight: 600 }
svg { display: block; width: 100%; height: auto } .wide { display: none; max-width: 720px } .narrow { max-width: 420px }
@media (min-width: 760px) { .wide { display: block } .narrow { display: none } }
.scene { margin: 1rem 0 1rem .5rem; padding-left: 1rem; border-left: 1px solid var(--line) }
pre { overflow-x: auto; padding: .8rem; border: 1px solid var(--line); font-size: 13px; line-height: 1.45 }
mark { background: var(--mark); color: inherit; display: inline-block; min-width: 100% }
summary { cursor: pointer; padding: .4rem 0 }
`
