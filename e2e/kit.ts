/** What all browser tests share; `startJourney` is where a file begins. */
export * from './kit/browser.ts'
export * from './kit/hands.ts'
export * from './kit/journey.ts'
export * from './kit/peers.ts'
export * from './kit/platform.ts'
export * from './kit/server.ts'
export * from './kit/things.ts'
export * from './kit/tiles.ts'
