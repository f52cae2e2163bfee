/**
 * The language of external recipients is unknown. Only letters, digits and spaces of the account's name are
 * shown, so that it cannot put links into mails to people who did not ask for them.
 */
export function askMail(account: string, product: string): { subject: string; body: string } {
  const name = harmless(account)
  return {
    subject: `${product}: Dürfen wir Ihnen Meldungen schicken? / May we send you messages?`,
    body: [
      'Guten Tag,',
      '',
      `jemand im Account „${name}“ möchte, dass Meldungen einer automatischen Überwachung an diese Adresse gehen. Erlauben oder ablehnen können Sie das hier:`,
      '',
      '{secret}',
      '',
      'Der Link gilt 14 Tage. Wenn Sie nichts tun, bekommen Sie keine Meldungen.',
      '',
      '---',
      '',
      'Hello,',
      '',
      `someone in the account “${name}” would like messages of an automatic watch to go to this address. The link above lets you allow or decline that. It is valid for 14 days. If you do nothing, you will get no messages.`,
    ].join('\n'),
  }
}

/** Footer of every mail to recipients outside the account. */
export function stopText(account: string, url: string): string {
  const name = harmless(account)
  return [
    '',
    '',
    '--',
    `Automatische Meldung aus dem Account „${name}“. Keine mehr bekommen: ${url}`,
    `Automatic message of the account “${name}”. To get no more of them, open the link above.`,
  ].join('\n')
}

/** One mail that sums up all that were held back. */
export function heldMail(
  times: number,
  rules: readonly string[],
  product: string,
): { subject: string; body: string } {
  return {
    subject: `${product}: ${times} weitere Meldungen zurückgehalten / ${times} more messages held back`,
    body: [
      'Guten Tag,',
      '',
      `es gab zu viele Meldungen auf einmal: ${times} weitere an diese Adresse wurden zurückgehalten und werden nicht mehr verschickt. Sie kamen von diesen Regeln:`,
      `There were too many messages at once: ${times} more to this address were held back and will not be sent. They came from these rules:`,
      '',
      ...rules.map((rule) => `- ${rule}`),
    ].join('\n'),
  }
}

const nameLengthMax = 60

function harmless(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}&()'+,-]+/gu, ' ')
    .trim()
    .slice(0, nameLengthMax)
}
