/** Exports for later features and `app/slots.ts`. */
export { type StateAction, type StateActionProps, stateActions } from './slots.ts'
