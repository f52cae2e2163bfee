/** Exports for later features. */
export { FeedbackForm } from './FeedbackForm.tsx'
