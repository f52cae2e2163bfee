import type { MailOutcome } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { expect, test } from 'vitest'
import { failedActions, outcomeGroups, signOfOutcome } from './mailOutcomes.ts'

const mail = (address: string, outcome: MailOutcome['outcome'], reason: string | null = null) => ({
  address,
  outcome,
  reason,
})
const t = ((key: string, values: Record<string, string>) =>
  `${key.replace('rules.', '')}(${Object.values(values)})`) as unknown as TFunction

test('recipients with the same outcome are named together', () => {
  expect(outcomeGroups([mail('a', 'sent'), mail('b', 'kept'), mail('c', 'sent')])).toEqual([
    { outcome: 'sent', reason: null, addresses: ['a', 'c'] },
    { outcome: 'kept', reason: null, addresses: ['b'] },
  ])
})

test('only a mail that was sent has a tick', () => {
  const ticked = Object.entries(signOfOutcome).filter(([, sign]) => sign === 'done')
  expect(ticked.map(([outcome]) => outcome)).toEqual(['sent', 'repeated'])
})

test('what did not happen is listed with the reason, and nothing that did', () => {
  const actions = [
    { kind: 'set-state', ok: true, detail: 'level = 3' },
    { kind: 'set-state', ok: false, detail: 'refused', mails: undefined },
    {
      kind: 'email',
      ok: false,
      detail: '',
      mails: [mail('a', 'sent'), mail('b', 'failed', '550 unknown user')],
    },
  ]
  expect(failedActions(t, actions)).toBe('refused; mailOutcomes.failed(b). mailReply(550 unknown user)')
})
