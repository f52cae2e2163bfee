export { DefaultsFields } from './DefaultsFields.tsx'
