/** Exports for later features and `app/slots.ts`. */
export { FormatFields, StatesField, ValuesFields } from './fields.tsx'
export { type FormValues, initialValues, periods, requestOf, valuesOf } from './form.ts'
export {
  exportDevice,
  exportGroup,
  exportSelected,
  exportTwin,
  exportTwins,
  JobFile,
  SavedExports,
} from './parts.tsx'
