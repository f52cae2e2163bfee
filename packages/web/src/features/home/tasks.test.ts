import { describe, expect, it } from 'vitest'
import { type Known, tasksOf } from './tasks.ts'

const nowMs = Date.UTC(2026, 10, 23, 12)
const job = { id: 4, title: 'Import', state: 'done', result: {}, createdAt: '2026-11-23T08:00:00Z' }
const connector = { id: 1, accountId: 2, name: 'ChirpStack', state: 'listening', lastRefusedAt: null }
const keys = (known: Known) => tasksOf(known, nowMs).map(({ key }) => key)

describe('what needs doing', () => {
  it('is nothing when nothing is known or everything is in order', () => {
    expect(keys({})).toEqual([])
    expect(
      keys({
        silent: 0,
        neverSeen: 3,
        jobs: [job, { ...job, state: 'inprogress', result: { failed: 2 } }],
        connectors: [{ ...connector, lastRefusedAt: '2026-11-22T11:59:00Z' }],
        updatable: 0,
        parked: 0,
        mails: { kept: 0, failed: 0, delayed: 0 },
      }),
    ).toEqual([])
  })
  it('begins with the worst', () => {
    expect(
      keys({
        faulty: 1,
        batteries: 2,
        acceptable: 1,
        silent: 3,
        updatable: 2,
        parked: 1,
        mails: { kept: 2, failed: 1, delayed: 1 },
        jobs: [{ ...job, result: { failed: 2 } }],
        connectors: [{ ...connector, state: 'error', lastRefusedAt: '2026-11-23T11:00:00Z' }],
      }),
    ).toEqual([
      'connector',
      'faulty',
      'parked',
      'refused',
      'jobRows',
      'battery',
      'kept',
      'failed',
      'delayed',
      'silent',
      'acceptable',
      'updatable',
    ])
  })
  it('leads to the thing or to the filtered list', () => {
    const [failed] = tasksOf({ jobs: [{ ...job, state: 'failed' }] }, nowMs)
    expect(failed).toMatchObject({ key: 'jobFailed', to: '/background-jobs?job=4', title: 'Import' })
    const [silent] = tasksOf({ silent: 3, neverSeen: 1 }, nowMs)
    expect(silent).toMatchObject({ to: '/virtual-devices?silent=1440&state=enabled', count: 3, never: 1 })
    expect(tasksOf({ silent: 3, neverSeen: 3 }, nowMs)).toMatchObject([{ key: 'never', count: 3, never: 0 }])
    expect(tasksOf({ batteries: 2, acceptable: 1 }, nowMs)).toMatchObject([
      { to: '/virtual-devices?problem=battery', count: 2 },
      { to: '/virtual-device-drivers?acceptance=outdated', count: 1 },
    ])
    expect(tasksOf({ faulty: 2 }, nowMs)).toMatchObject([{ to: '/virtual-devices?health=2', count: 2 }])
    const lastRefusedAt = '2026-11-22T12:01:00Z'
    expect(tasksOf({ connectors: [{ ...connector, state: 'error', lastRefusedAt }] }, nowMs)).toMatchObject([
      { key: 'connector', to: '/connectors/edit/2/1', title: 'ChirpStack' },
      { key: 'refused', to: '/connectors/edit/2/1?tab=dead', title: 'ChirpStack' },
    ])
    const [rows] = tasksOf({ jobs: [{ ...job, result: { failed: 2 } }] }, nowMs)
    expect(rows).toMatchObject({ key: 'jobRows', count: 2 })
  })
  it('leaves out old jobs, and names three at most', () => {
    expect(keys({ jobs: [{ ...job, state: 'failed', createdAt: '2026-11-16T11:00:00Z' }] })).toEqual([])
    const many = Array.from({ length: 5 }, (_, id) => ({ ...job, id, state: 'failed' }))
    expect(keys({ jobs: many })).toHaveLength(3)
    const broken = Array.from({ length: 5 }, (_, id) => ({ ...connector, id, state: 'error' }))
    expect(keys({ connectors: broken })).toHaveLength(3)
  })
})
