import { plain } from '../plain.ts'

export const none = plain({ virtualDevice: 2, digitalTwin: 6 })
