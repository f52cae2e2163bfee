import { fileLimits, pictureTypes } from '@leitstand/contract/files'

/** Longest side of a picture made from a drawing or a page. */
const sideMaxPx = 4096
/** Pixels of a point (1/72 inch) of a page, at most. */
const scaleMax = 4

/** What a plan can be made from. */
export const planTypes = [...pictureTypes, 'image/svg+xml', 'application/pdf'] as const

export type PlanFault = 'type' | 'large' | 'unreadable' | 'empty'

/** Why no plan can be made from a file. */
export class PlanError extends Error {
  readonly fault: PlanFault
  constructor(fault: PlanFault) {
    super(`the plan cannot be used: ${fault}`)
    this.fault = fault
  }
}

/** Pages of a PDF to choose from, or the finished picture. */
export type Prepared =
  | { kind: 'picture'; file: File }
  | { kind: 'pages'; count: number; page: (number: number) => Promise<File>; close: () => void }

/**
 * Prepares a file: pictures stay as they are, drawings (SVG) become pictures, and a page of a PDF is still to be chosen. Nothing
 * of a drawing or PDF leaves the browser but pixels.
 * @throws PlanError
 */
export async function prepare(file: File): Promise<Prepared> {
  if (file.size === 0) throw new PlanError('empty')
  if (pictureTypes.some((type) => type === file.type)) {
    if (file.size > fileLimits.fileBytesMax) throw new PlanError('large')
    return { kind: 'picture', file }
  }
  if (file.type === 'image/svg+xml') return { kind: 'picture', file: await fromDrawing(file) }
  if (file.type === 'application/pdf') return fromPdf(file)
  throw new PlanError('type')
}

/** The factor that makes the longer side as long as allowed. */
export const fittingScale = (width: number, height: number, max = Number.POSITIVE_INFINITY): number =>
  Math.min(max, sideMaxPx / Math.max(width, height))

async function fromDrawing(file: File): Promise<File> {
  const url = URL.createObjectURL(file)
  try {
    const image = new Image()
    image.src = url
    await image.decode().catch(() => {
      throw new PlanError('unreadable')
    })
    const { naturalWidth, naturalHeight } = image
    if (naturalWidth === 0 || naturalHeight === 0) throw new PlanError('unreadable')
    const scale = fittingScale(naturalWidth, naturalHeight)
    return await pictureOf(file.name, naturalWidth * scale, naturalHeight * scale, (context, width, height) =>
      context.drawImage(image, 0, 0, width, height),
    )
  } finally {
    URL.revokeObjectURL(url)
  }
}

async function fromPdf(file: File): Promise<Prepared> {
  const { openPdf } = await import('./pdf.ts')
  const pdf = await openPdf(new Uint8Array(await file.arrayBuffer())).catch(() => {
    throw new PlanError('unreadable')
  })
  const page = async (number: number) => {
    const { width, height, draw } = await pdf.page(number)
    const scale = fittingScale(width, height, scaleMax)
    return pictureOf(file.name, width * scale, height * scale, (context) => draw(context, scale))
  }
  return { kind: 'pages', count: pdf.count, page, close: pdf.close }
}

/** A PNG of what is drawn. */
async function pictureOf(
  name: string,
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D, width: number, height: number) => void | Promise<void>,
): Promise<File> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width))
  canvas.height = Math.max(1, Math.round(height))
  const context = canvas.getContext('2d')
  if (!context) throw new PlanError('unreadable')
  await draw(context, canvas.width, canvas.height)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new PlanError('unreadable')
  if (blob.size > fileLimits.fileBytesMax) throw new PlanError('large')
  return new File([blob], `${name.replace(/\.[^.]*$/, '')}.png`, { type: 'image/png' })
}
