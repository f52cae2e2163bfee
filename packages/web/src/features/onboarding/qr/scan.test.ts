import { describe, expect, test, vi } from 'vitest'
import { cameraFaultOf, scan } from './scan.ts'

test.each([
  [new DOMException('', 'NotAllowedError'), 'refused'],
  [new DOMException('', 'NotFoundError'), 'missing'],
  [new DOMException('', 'OverconstrainedError'), 'missing'],
  [new DOMException('', 'NotReadableError'), 'failed'],
  [new Error('NotAllowedError'), 'failed'],
  [undefined, 'failed'],
])('%s means that the camera is %s', (error, fault) => {
  expect(cameraFaultOf(error)).toBe(fault)
})

describe('the camera', () => {
  const stopped = vi.fn()
  const stream = { getTracks: () => [{ stop: stopped }, { stop: stopped }] }
  class Detector {
    static getSupportedFormats = async () => ['qr_code']
    detect = async () => [{ rawValue: 'LW:D0:1' }]
  }
  const video = (change: object = {}) =>
    ({
      play: async () => undefined,
      readyState: 4,
      HAVE_CURRENT_DATA: 2,
      ...change,
    }) as unknown as HTMLVideoElement

  const open = (media: object) => {
    stopped.mockClear()
    vi.stubGlobal('window', { BarcodeDetector: Detector })
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: async () => media } })
  }

  test('is released after a code was found', async () => {
    open(stream)
    const stop = new AbortController()
    const found: string[] = []
    await scan(
      video(),
      (text) => {
        found.push(text)
        stop.abort()
      },
      stop.signal,
    )
    expect(found).toEqual(['LW:D0:1'])
    expect(stopped).toHaveBeenCalledTimes(2)
    vi.unstubAllGlobals()
  })

  test('is released if the dialog was closed before it started', async () => {
    open(stream)
    const play = vi.fn()
    await scan(video({ play }), () => undefined, AbortSignal.abort())
    expect(play).not.toHaveBeenCalled()
    expect(stopped).toHaveBeenCalledTimes(2)
    vi.unstubAllGlobals()
  })

  test('is released if it cannot be shown', async () => {
    open(stream)
    const play = () => Promise.reject(new DOMException('', 'NotReadableError'))
    await expect(scan(video({ play }), () => undefined, new AbortController().signal)).rejects.toThrow()
    expect(stopped).toHaveBeenCalledTimes(2)
    vi.unstubAllGlobals()
  })
})
