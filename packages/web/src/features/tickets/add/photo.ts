/** Longest side of a photo that is sent, in px: enough to see what is broken, little enough for a poor network. */
const sideMaxPx = 1600
const quality = 0.82

/**
 * A photo as it is sent: smaller, and without what a camera notes beside it, such as where it was taken.
 * @throws when the browser cannot read it as an image
 */
export async function preparePhoto(file: Blob): Promise<Blob> {
  const image = await createImageBitmap(file, { imageOrientation: 'from-image' })
  try {
    const scale = Math.min(1, sideMaxPx / Math.max(image.width, image.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(image.width * scale))
    canvas.height = Math.max(1, Math.round(image.height * scale))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) => {
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error('the photo could not be written'))),
        'image/jpeg',
        quality,
      )
    })
  } finally {
    image.close()
  }
}
