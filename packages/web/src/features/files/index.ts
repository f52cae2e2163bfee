/** What other screens use of files. */
export { FilesSection } from './FilesSection.tsx'
export { Thumbnail } from './Thumbnail.tsx'
