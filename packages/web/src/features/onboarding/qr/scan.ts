import type jsQR from 'jsqr'

interface Detector {
  detect(image: HTMLVideoElement): Promise<{ rawValue: string }[]>
}

declare global {
  interface Window {
    /** in browsers with built-in code detection */
    BarcodeDetector?: {
      new (options: { formats: string[] }): Detector
      getSupportedFormats(): Promise<string[]>
    }
  }
}

type Read = (video: HTMLVideoElement) => Promise<string | null>

/** A QR code reader: the browser's own if available, else in JavaScript. */
async function reader(): Promise<Read> {
  const own = window.BarcodeDetector
  if (own && (await own.getSupportedFormats()).includes('qr_code')) {
    const detector = new own({ formats: ['qr_code'] })
    return async (video) => (await detector.detect(video))[0]?.rawValue ?? null
  }
  const { default: read } = await import('jsqr')
  const canvas = document.createElement('canvas')
  return async (video) => readDrawn(read, canvas, video)
}

/**
 * Wider pictures are scaled down: it is faster and does not hurt detection of a code that fills the frame.
 */
const widthMax = 800

function readDrawn(read: typeof jsQR, canvas: HTMLCanvasElement, video: HTMLVideoElement): string | null {
  const scale = Math.min(1, widthMax / video.videoWidth)
  canvas.width = Math.round(video.videoWidth * scale)
  canvas.height = Math.round(video.videoHeight * scale)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context || canvas.width === 0) return null
  context.drawImage(video, 0, 0, canvas.width, canvas.height)
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height)
  return read(data, width, height)?.data ?? null
}

/** Why there is no picture: not allowed, no camera, or another reason, e.g. another program uses it. */
export type CameraFault = 'refused' | 'missing' | 'failed'

const faults: Readonly<Record<string, CameraFault>> = {
  NotAllowedError: 'refused',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
}

/** Maps an error of `scan` to a camera fault. */
export function cameraFaultOf(error: unknown): CameraFault {
  return (error instanceof DOMException ? faults[error.name] : undefined) ?? 'failed'
}

/** Pause between two scans of the picture. */
const pauseMs = 150

/**
 * Shows the camera and scans for codes until the signal aborts; then releases the camera.
 * @param found called with every text read, also repeatedly with the same one
 * @throws DOMException when there is no camera or the user does not allow it, see `cameraFaultOf`
 */
export async function scan(
  video: HTMLVideoElement,
  found: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  const release = () => {
    for (const track of stream.getTracks()) track.stop()
  }
  try {
    const read = await reader()
    if (signal.aborted) return
    video.srcObject = stream
    await video.play()
    while (!signal.aborted) {
      const text = video.readyState >= video.HAVE_CURRENT_DATA ? await read(video) : null
      if (text && !signal.aborted) found(text)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  } finally {
    release()
  }
}
