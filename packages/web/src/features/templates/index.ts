/** What the screens of devices use of those of templates. */
export { findTemplates, type Template, templateTitle } from './queries.ts'
