import { describe, expect, it } from 'vitest'
import { AppError } from '../../../platform/errors.ts'
import { attemptOfError, attemptOfStatus, wasNotSent } from './answers.ts'

describe('the status of an answer', () => {
  it.each([
    [199, 'never', 'refused'],
    [200, 'taken', undefined],
    [204, 'taken', undefined],
    [299, 'taken', undefined],
    [302, 'never', 'refused'],
    [404, 'never', 'refused'],
    [408, 'again', 'overloaded'],
    [425, 'again', 'overloaded'],
    [429, 'again', 'overloaded'],
    [499, 'never', 'refused'],
    [500, 'again', 'refused'],
    [502, 'again', 'refused'],
    [503, 'again', 'overloaded'],
  ])('%d: %s, %s', (status, outcome, reason) => {
    const detail = outcome === 'taken' ? undefined : `HTTP ${status}`
    expect(attemptOfStatus(status)).toEqual({ outcome, ...(reason ? { reason, detail } : {}) })
  })
})

describe('an error of a request', () => {
  const socket = (code: string) => Object.assign(new Error(code), { code })

  it.each([
    [socket('ECONNREFUSED'), 'again', 'unreachable'],
    [socket('CERT_HAS_EXPIRED'), 'again', 'unreachable'],
    [new AppError('OUTGOING_HOST_UNKNOWN', { host: 'a' }), 'again', 'unreachable'],
    [new AppError('OUTGOING_ADDRESS_FORBIDDEN', { host: 'a' }), 'never', 'forbidden'],
    [socket('ECONNRESET'), 'unknown', 'noAnswer'],
    [new DOMException('late', 'TimeoutError'), 'unknown', 'noAnswer'],
    ['text', 'unknown', 'noAnswer'],
  ])('%s: %s, %s', (error, outcome, reason) => {
    expect(attemptOfError(error)).toEqual({ outcome, reason, detail: '' })
    expect(wasNotSent(error)).toBe(outcome !== 'unknown')
  })
})
