import type { Delivery } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import { expect, test } from 'vitest'
import { deliverySentence, signOfDelivery } from './deliveries.ts'
import { failedActions } from './mailOutcomes.ts'

const t = ((key: string, values: Record<string, string> = {}) =>
  `${key.replace('rules.', '')}(${Object.values(values)})`) as unknown as TFunction
const delivery = (outcome: Delivery['outcome'], change: Partial<Delivery> = {}): Delivery => ({
  to: 'Control room',
  outcome,
  reason: null,
  detail: '',
  ...change,
})

test('only what the other side has taken has a tick', () => {
  const ticked = Object.entries(signOfDelivery).filter(([, sign]) => sign === 'done')
  expect(ticked.map(([outcome]) => outcome)).toEqual(['sent', 'acknowledged'])
})

test('a sentence names the kind, the target and the reason', () => {
  expect(deliverySentence(t, 'webhook', delivery('sent'))).toBe(
    'kinds.webhook(): deliveryOutcomes.sent(Control room)',
  )
  expect(
    deliverySentence(t, 'webhook', delivery('impossible', { to: '', reason: 'x', detail: 'HTTP 500' })),
  ).toBe('kinds.webhook(): deliveryOutcomes.impossible(–) – x, HTTP 500')
})

test('what did not arrive is listed', () => {
  const actions = [
    { kind: 'webhook', ok: true, detail: '', deliveries: [delivery('sent')] },
    { kind: 'downlink', ok: false, detail: '', deliveries: [delivery('sent'), delivery('uncertain')] },
  ]
  expect(failedActions(t, actions)).toBe('kinds.downlink(): deliveryOutcomes.uncertain(Control room)')
})
