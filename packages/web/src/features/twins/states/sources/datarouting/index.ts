import { plain } from '../plain.ts'

export const datarouting = plain({ digitalTwin: 5 })
