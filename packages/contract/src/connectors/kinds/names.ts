/** Every kind of connector. Without schemas, so that lists do not load zod to offer the kinds as a filter. */
export const connectorKinds = ['webhook-in', 'mqtt-broker', 'mqtt-in', 'webhook-out'] as const

/** The kinds through which devices and states receive data. */
export const receivingKinds = connectorKinds.filter((kind) => kind !== 'webhook-out')
