/** What later features may use of the devices' screens. */
export { type Sending, sampleMessage, sendCommand, sendingOf } from './sending.ts'
