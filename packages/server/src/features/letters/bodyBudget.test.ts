import { expect, test } from 'vitest'
import type { RejectedMessage } from '../ingest/index.ts'
import { BodyBudget } from './bodyBudget.ts'

const letter = (chars: number, connectorId = 1): RejectedMessage => ({
  receivedAt: new Date(0),
  accountId: 1,
  connectorId,
  deviceId: null,
  identifier: null,
  reason: 'BODY_NOT_JSON',
  detail: '',
  body: 'x'.repeat(chars),
  meta: { stage: 'message' },
})

test('bodies are whole until a connector has left much behind, and again after a while', () => {
  const budget = new BodyBudget({ perSecond: 10_000, burst: 50_000 })
  const kept = (nowMs: number, message = letter(30_000)) => {
    const { body, meta } = budget.cut(message, nowMs)
    return [body.length, meta.cut ?? false]
  }
  expect(kept(0)).toEqual([30_000, false])
  expect(kept(0)).toEqual([10_000, true])
  expect(kept(0, letter(20_000))).toEqual([20_000, false])
  expect(kept(0, letter(10_000))).toEqual([10_000, false])
  expect(kept(0, letter(30_000, 2))).toEqual([30_000, false])
  expect(kept(2_999)).toEqual([10_000, true])
  expect(kept(3_000)).toEqual([30_000, false])
})
