import { describe, expect, it } from 'vitest'
import { type DeliveryState, handedOver, type Outcomes, standingOf } from './standing.ts'
import type { RecordedAction } from './store/pipeline.ts'

const none: Outcomes = { mails: new Map(), deliveries: new Map(), downlinks: new Map() }
const action = (change: Partial<RecordedAction>): RecordedAction => ({
  kind: 'webhook',
  ok: true,
  detail: '',
  ...change,
})
const delivery = (outcome: DeliveryState['outcome'], isFinal = true): Outcomes => ({
  ...none,
  deliveries: new Map([[1, { outcome, reason: null, detail: '', isFinal }]]),
})
const handed = [action({ deliveries: [{ to: 'a', deliveryId: 1 }] })]

describe('how actions stand', () => {
  it.each([
    [{}, false, false],
    [{ ok: false }, false, true],
    [{ ok: false, pending: true as const }, true, false],
    [{ ok: false, mails: [{ to: ['a'], unwritten: 'declined' as const }] }, false, false],
    [{ ok: false, mails: [{ to: ['a'], unwritten: 'ruleLimit' as const }] }, false, false],
    [{ ok: false, mails: [{ to: ['a'], unwritten: 'unconfirmed' as const }] }, false, true],
    [{ mails: [{ to: ['a'], mailId: 1 }] }, true, false],
    [{ deliveries: [{ to: 'a', deliveryId: 1 }] }, true, false],
    [{ deliveries: [{ to: 'a', downlinkId: 1 }] }, true, false],
    [{ deliveries: [{ to: 'a', unsent: 'targetLimit' as const, reason: null }] }, false, false],
    [{ deliveries: [{ to: 'a', unsent: 'impossible' as const, reason: 'x' }] }, false, true],
  ])('when they are recorded: %o', (change, open, failed) => {
    expect(standingOf([action({}), action(change)], null)).toEqual({ open, failed })
  })

  it.each([
    ['queued', false, true, false],
    ['sent', true, false, false],
    ['sent', false, true, false],
    ['acknowledged', true, false, false],
    ['failed', true, false, true],
    ['expired', true, false, true],
    ['cancelled', true, false, true],
    ['uncertain', true, false, true],
  ] as const)('when a message is %s (final: %s)', (outcome, isFinal, open, failed) => {
    expect(standingOf(handed, delivery(outcome, isFinal))).toEqual({ open, failed })
  })

  it('when a downlink has its own outcome', () => {
    const downlink = [action({ deliveries: [{ to: 'a', downlinkId: 1 }] })]
    expect(standingOf(downlink, delivery('failed'))).toEqual({ open: false, failed: false })
    const outcomes = { ...none, downlinks: delivery('failed').deliveries }
    expect(standingOf(downlink, outcomes)).toEqual({ open: false, failed: true })
  })

  it.each([
    ['queued', [], true, false],
    ['sent', [], false, false],
    ['sent', [{ address: 'a', reason: null }], false, true],
    ['failed', [], false, true],
    ['kept', [], false, true],
  ] as const)('when a mail is %s, refused by %j', (status, refused, open, failed) => {
    const mails = new Map([[1, { status, error: null, refused }]])
    expect(standingOf([action({ mails: [{ to: ['a'], mailId: 1 }] })], { ...none, mails })).toEqual({
      open,
      failed,
    })
  })

  it('when what they handed over was deleted, nothing is known to have failed', () => {
    expect(standingOf(handed, none)).toEqual({ open: false, failed: false })
    expect(standingOf([action({ mails: [{ to: ['a'], mailId: 1 }] })], none)).toEqual({
      open: false,
      failed: false,
    })
  })
})

it('names what was handed over', () => {
  const actions = [
    action({
      mails: [
        { to: ['a'], mailId: 1 },
        { to: ['b'], unwritten: 'declined' },
      ],
    }),
    action({
      deliveries: [
        { to: 'a', deliveryId: 2 },
        { to: 'b', downlinkId: 3 },
        { to: 'c', unsent: 'ruleLimit', reason: null },
      ],
    }),
    action({}),
  ]
  expect(handedOver(actions)).toEqual({ mails: [1], deliveries: [2], downlinks: [3] })
})
