import { type MailKind, mailKind } from '../../../../platform/mail/templates/kind.ts'

/** What a rule writes, in the words of its author. */
export const ruleMail = mailKind({
  id: 'ruleMessage',
  area: 'alarms',
  title: { de: 'E-Mail einer Regel', en: 'Email of a rule' },
  readers: { de: 'die Empfänger, die in der Regel stehen', en: 'the recipients named in the rule' },
  languages: 'one',
  variables: {
    subject: {
      type: 'text',
      label: { de: 'Betreff, der in der Regel steht', en: 'subject given in the rule' },
      example: { de: 'Pegel über 3 m', en: 'Level above 3 m' },
    },
    text: {
      type: 'lines',
      label: { de: 'Text, der in der Regel steht', en: 'text given in the rule' },
      example: {
        de: 'Der Pegel an der Brücke Nord ist 3,2 m.',
        en: 'The level at the north bridge is 3.2 m.',
      },
      isRequired: true,
    },
  },
  texts: {
    de: { subject: '{{subject}}', body: '{{text}}' },
    en: { subject: '{{subject}}', body: '{{text}}' },
  },
})

/** The language of external recipients is unknown. */
export const askMail = mailKind({
  id: 'recipientConsent',
  area: 'alarms',
  title: { de: 'Frage nach Einwilligung', en: 'Request for consent' },
  readers: {
    de: 'Empfänger außerhalb des Accounts, bevor sie Meldungen bekommen',
    en: 'recipients outside the account, before they get messages',
  },
  languages: 'one',
  toStrangers: true,
  variables: {
    account: {
      type: 'text',
      label: { de: 'Account', en: 'Account' },
      example: { de: 'Stadtwerke', en: 'City utilities' },
    },
    link: {
      type: 'link',
      label: { de: 'Link zum Erlauben und Ablehnen', en: 'Link to allow or decline' },
      example: {
        de: 'https://iot.example/#/rule-mail?token=beispiel',
        en: 'https://iot.example/#/rule-mail?token=example',
      },
      isRequired: true,
    },
  },
  texts: inBoth({
    subject: '{{product}}: Dürfen wir Ihnen Meldungen schicken? / May we send you messages?',
    body: [
      'Guten Tag,',
      '',
      'jemand im Account „{{account}}“ möchte, dass Meldungen einer automatischen Überwachung an diese Adresse gehen. Erlauben oder ablehnen können Sie das hier:',
      '',
      '[Erlauben oder ablehnen / Allow or decline]({{link}})',
      '',
      'Der Link gilt 14 Tage. Wenn Sie nichts tun, bekommen Sie keine Meldungen.',
      '',
      '---',
      '',
      'Hello,',
      '',
      'someone in the account “{{account}}” would like messages of an automatic watch to go to this address. The link above lets you allow or decline that. It is valid for 14 days. If you do nothing, you will get no messages.',
    ].join('\n'),
  }),
})

/** One mail that sums up all that were held back. */
export const heldMail = mailKind({
  id: 'messagesHeld',
  area: 'alarms',
  title: { de: 'Zurückgehaltene E-Mails', en: 'Emails held back' },
  readers: {
    de: 'Empfänger von Regeln, deren Grenze erreicht ist',
    en: 'recipients of rules whose limit is reached',
  },
  languages: 'one',
  variables: {
    count: {
      type: 'text',
      label: { de: 'Anzahl', en: 'Number' },
      example: { de: '12', en: '12' },
    },
    rules: {
      type: 'lines',
      label: { de: 'die Regeln, eine in jeder Zeile', en: 'the rules, one in each line' },
      example: { de: '- Pegel über 3 m\n- Batterie schwach', en: '- Level above 3 m\n- Battery low' },
    },
  },
  texts: inBoth({
    subject: '{{product}}: {{count}} weitere Meldungen zurückgehalten / {{count}} more messages held back',
    body: [
      'Guten Tag,',
      '',
      'es gab zu viele Meldungen auf einmal: {{count}} weitere an diese Adresse wurden zurückgehalten und werden nicht mehr verschickt. Sie kamen von diesen Regeln:',
      'There were too many messages at once: {{count}} more to this address were held back and will not be sent. They came from these rules:',
      '',
      '{{rules}}',
    ].join('\n'),
  }),
})

/** The kinds of mails of rules. */
export const ruleMails: readonly MailKind[] = [ruleMail, askMail, heldMail]

/** A text that speaks two languages itself. */
function inBoth<T>(text: T): { de: T; en: T } {
  return { de: text, en: text }
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

const nameLengthMax = 60

/**
 * Only letters, digits and spaces of the account's name, so that it cannot put links into mails to people who did not ask
 * for them.
 */
export function harmless(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}&()'+,-]+/gu, ' ')
    .trim()
    .slice(0, nameLengthMax)
}
