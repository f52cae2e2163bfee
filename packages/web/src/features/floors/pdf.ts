import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist'
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'

GlobalWorkerOptions.workerSrc = workerUrl

/** Opens a PDF. Its scripts are not run, and nothing it refers to is fetched. @throws when it cannot be read */
export async function openPdf(data: Uint8Array) {
  const task = getDocument({ data, enableXfa: false, useSystemFonts: false })
  const pdf = await task.promise
  return {
    count: pdf.numPages,
    /** Size in points, and how to draw it. */
    page: async (number: number) => {
      const page = await pdf.getPage(number)
      const { width, height } = page.getViewport({ scale: 1 })
      const draw = async (canvasContext: CanvasRenderingContext2D, scale: number) => {
        await page.render({
          canvas: canvasContext.canvas,
          canvasContext,
          viewport: page.getViewport({ scale }),
        }).promise
      }
      return { width, height, draw }
    },
    close: () => void task.destroy(),
  }
}
