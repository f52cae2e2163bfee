/** Exports for `app/slots.ts`. */
export {
  exportDevice,
  exportGroup,
  exportSelected,
  exportTwin,
  exportTwins,
  JobFile,
  SavedExports,
} from './parts.tsx'
