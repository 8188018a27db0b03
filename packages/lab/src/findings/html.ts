/** Text as HTML. */

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** @param rows cells that are HTML already */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[], name = ''): string {
  const line = (cells: readonly string[], tag: 'td' | 'th'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  const body = rows.map((cells) => line(cells, 'td')).join('\n')
  return `<div class="scroll"><table class="${name}"><thead>${line(head.map(escaped), 'th')}</thead>\n<tbody>${body}</tbody></table></div>`
}
