/** Exports for other screens. */
export { FilesSection } from './FilesSection.tsx'
export { Thumbnail } from './Thumbnail.tsx'
