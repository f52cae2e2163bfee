/** Exports for the screens of devices. */
export { findTemplates, type Template, templateTitle } from './queries.ts'
