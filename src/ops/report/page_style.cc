#include "ops/report/page_style.h"

namespace sheaf::internal::page {

// Colours have names, so that the dark page changes only their definitions. All texts have a
// contrast of at least 4.5 to 1.
std::string_view style_sheet() noexcept {
  return R"css(
:root{color-scheme:light dark;--page:#fff;--ink:#1d2126;--soft:#5a636d;--rule:#e2e6ea;
--panel:#f6f7f9;--first:#2f6fb0;--second:#c0561d;--third:#3b8266;--link:#1f5f9f;
--error:#b3261e;--warning:#8f5a00;--notice:#3d5a80;--good:#1f7a45;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media(prefers-color-scheme:dark){:root{--page:#14171a;--ink:#e4e7ea;--soft:#9ca6b0;--rule:#2d343b;
--panel:#1c2126;--first:#6aa5e0;--second:#e89160;--third:#6fbf9d;--link:#82b5ea;
--error:#ff8a80;--warning:#e5b04c;--notice:#9dbbe0;--good:#74cf98}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
h1,h2,h3,p,ul,ol,dl,dd,figure{margin:0}
h1{font-size:1.75rem;line-height:1.25;font-weight:650;overflow-wrap:anywhere}
h2{font-size:1.3rem;line-height:1.3;font-weight:650}
h3{font-size:1rem;font-weight:650;margin-top:2rem;overflow-wrap:anywhere}
p{max-width:44rem}
code,.mono,pre{font-family:var(--mono);font-size:.875em}
code{background:var(--panel);padding:.1em .3em;border-radius:3px}
bdi{overflow-wrap:anywhere}
.soft{color:var(--soft)}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
white-space:nowrap}
.skip{position:absolute;left:1rem;top:-4rem;background:var(--page);padding:.5rem 1rem}
.skip:focus{top:.5rem}
.u{font:normal .8em var(--mono);border:1px solid var(--soft);border-radius:3px;padding:0 .2em;
color:var(--soft)}
header,.frame,footer{max-width:76rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:3rem}
.kicker{font-size:.8rem;letter-spacing:.08em;text-transform:uppercase;color:var(--soft)}
.facts{display:flex;flex-wrap:wrap;gap:1rem 2.5rem;margin:1.5rem 0 0}
.facts div{display:flex;flex-direction:column-reverse}
.facts dt{font-size:.85rem;color:var(--soft)}
.facts dd{font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.3}
nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
nav a{color:var(--soft);text-decoration:none;font-size:.9rem;display:inline-block;padding:.2rem 0}
nav a:hover{color:var(--link);text-decoration:underline}
nav{padding:1.25rem 0;border-bottom:1px solid var(--rule);margin-bottom:1rem}
section{padding:2rem 0;display:flow-root}
section+section{border-top:1px solid var(--rule)}
section>p{margin-top:.75rem}
section>.scroll,section>details,section>.grid{margin-top:1.25rem}
.findings{list-style:none;padding:0;margin-top:1.25rem;max-width:52rem}
.findings li{display:grid;grid-template-columns:5.5rem minmax(0,1fr);padding:.7rem 0 .7rem 1rem;
border-left:3px solid var(--tone);margin-bottom:.75rem;
background:linear-gradient(90deg,var(--panel),transparent)}
.findings b{color:var(--tone)}
.findings p{color:var(--soft);font-size:.95rem}
.error{--tone:var(--error)}.warning{--tone:var(--warning)}
.notice{--tone:var(--notice)}.good{--tone:var(--good)}
.scroll{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:.35rem 1.1rem .35rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid var(--rule)}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--soft);font-weight:500;font-size:.8rem;vertical-align:bottom}
tbody th{font-weight:500}
tbody tr:last-child>*{border-bottom:0}
th,td{min-width:5rem;overflow-wrap:anywhere}
.n,.w{min-width:0;white-space:nowrap}
tr>:first-child{position:sticky;left:0;background:var(--page)}
.n{text-align:right}
details{font-size:.9rem}
summary{cursor:pointer;color:var(--soft);padding:.3rem 0;width:fit-content}
summary:hover{color:var(--link)}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));
gap:2rem 2.5rem}
.grid.wide{grid-template-columns:repeat(auto-fill,minmax(min(25rem,100%),1fr))}
.grid>*{min-width:0}
figure{margin-top:1.75rem;max-width:52rem}
.grid figure{margin-top:0}
figcaption{font-weight:600;font-size:.95rem;margin-bottom:.6rem;overflow-wrap:anywhere}
figcaption .soft{font-weight:400}
figure p{margin:.25rem 0;font-size:.9rem}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);column-gap:.5rem;font-size:.75rem;
color:var(--soft);font-variant-numeric:tabular-nums;padding-top:.5rem}
.plot .area{height:11rem;grid-column:2;grid-row:1}
.plot.small .area{height:5.5rem}
.area svg,.area img{display:block;width:100%;height:100%;overflow:visible}
.area img{border:1px solid var(--rule)}
.y{position:relative;grid-row:1;grid-column:1}
.y span{position:absolute;right:0;transform:translateY(-50%);line-height:1;white-space:nowrap}
.x{position:relative;grid-column:2;height:1.5em;margin-top:.3rem}
.x span{position:absolute;transform:translateX(-50%);white-space:nowrap}
.x .first{transform:none}.x .last{transform:translateX(-100%)}
.xname{grid-column:2;text-align:center}
.area path{vector-effect:non-scaling-stroke}
.rule{stroke:var(--rule);fill:none;stroke-width:1}
.area g path{fill:var(--first)}
.area g:not(.dots) path:first-of-type{fill:transparent}
.area g:not(.dots):hover path:first-of-type{fill:var(--rule)}
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.dots path{fill:none;stroke-width:6;stroke-linecap:round}
.small .dots path{stroke-width:3.5}
.dots path:hover,.small .dots path:hover{stroke-width:12}
.l0{stroke:var(--first)}.l1{stroke:var(--second)}.l2{stroke:var(--third)}
.line.l1{stroke-dasharray:7 5}.line.l2{stroke-dasharray:1.5 5}
.key{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.85rem;
color:var(--soft)}
.key .sample{width:1.75rem;height:.6rem;margin-right:.4rem;vertical-align:baseline}
.meter{display:block;width:100%;min-width:7rem;height:.6rem;margin-top:.4rem}
.meter path:first-child{fill:var(--panel)}
.meter path{fill:var(--first)}
td .meter{width:12rem;max-width:100%}
.cards{display:grid;gap:1.5rem;margin-top:1.5rem}
.card{border:1px solid var(--rule);border-radius:6px;padding:1rem 1.25rem 1.25rem;min-width:0}
.card h3{margin:0}
.card .parts{display:grid;gap:1.25rem;margin-top:.75rem;
grid-template-columns:repeat(auto-fit,minmax(min(16rem,100%),1fr))}
.card .parts>div{min-width:0}
.card .parts .soft{font-size:.8rem;margin-top:.25rem}
.card .name{font-size:.85rem;color:var(--soft);margin-bottom:.35rem}
img{image-rendering:pixelated}
@media screen and (prefers-color-scheme:dark){.strip{filter:brightness(1.7)}}
.heat{display:block;width:100%;max-width:26rem;height:8rem}
.matrix{display:block;height:8rem;width:auto;max-width:100%}
.thumb{display:block;height:8rem;width:auto;max-width:100%;object-fit:contain;
object-position:left}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);
padding:.6rem .8rem;border-radius:4px;max-height:14rem;overflow-y:auto}
.ids{font-family:var(--mono);font-size:.8rem;overflow-wrap:anywhere;line-height:1.7}
.ids span{white-space:nowrap;margin-right:.7em}
footer{padding-top:1.5rem;padding-bottom:4rem;color:var(--soft);font-size:.85rem}
footer p{border-top:1px solid var(--rule);padding-top:1rem;max-width:none}
@media(min-width:64rem){.frame{display:grid;grid-template-columns:10rem minmax(0,1fr);
column-gap:3rem;margin-top:2rem}
nav{border:0;margin:0;padding:2rem 0 0;position:sticky;top:0;align-self:start}
nav ul{flex-direction:column;gap:.15rem}section:first-child{padding-top:1.8rem}}
@media(max-width:40rem){header,.frame,footer{padding-left:1rem;padding-right:1rem}
header{padding-top:1.5rem}h1{font-size:1.4rem}.facts{gap:.75rem 1.75rem}.facts dd{font-size:1.15rem}
.plot .area{height:9rem}
td .meter{width:6rem}th,td{padding-right:.9rem;min-width:8rem}.n,.w{min-width:0}
.findings li{grid-template-columns:1fr}}
@media print{:root{color-scheme:light;--page:#fff;--ink:#000;--soft:#444;--rule:#ccc;
--panel:#f3f3f3;
--first:#2f6fb0;--second:#c0561d;--third:#3b8266;--link:#000;--error:#b3261e;--warning:#8f5a00;
--notice:#3d5a80;--good:#1f7a45}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
html{font-size:9.5pt}nav,.skip,details:not([open]):not(.more),.more>summary{display:none}
.more::details-content{content-visibility:visible;block-size:auto}
header,.frame,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}
.frame{display:block}a{text-decoration:none}.scroll{overflow:visible}
pre{max-height:none}table{font-size:.85rem}
th,td{padding:.25rem .6rem .25rem 0;min-width:3.5rem}
tr>:first-child{position:static;background:none}
.w,thead th{white-space:normal;min-width:0}td .meter{width:6rem;min-width:4rem}
h2,h3,figcaption{break-after:avoid}
figure,.card,.findings li,tr{break-inside:avoid}.plot .area{height:8rem}
.plot.small .area{height:4.5rem}section{padding:1rem 0 .5rem}}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
)css";
}

}  // namespace sheaf::internal::page
