/** Shared helpers of the browser tests; each file starts with `startJourney`. */
export * from './kit/browser.ts'
export * from './kit/hands.ts'
export * from './kit/journey.ts'
export * from './kit/peers.ts'
export * from './kit/platform.ts'
export * from './kit/server.ts'
export * from './kit/things.ts'
export * from './kit/tiles.ts'
