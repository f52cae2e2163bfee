/// <reference types="vite/client" />

declare module 'virtual:contract' {
  import type { AnyContractRouter } from '@orpc/contract'

  /** The routes of the contract without schemas, see `vite.config.ts`. */
  const routes: AnyContractRouter
  export default routes
}

declare module '@fontsource-variable/inter'

declare module 'world-atlas/*.json' {
  import type { Topology } from 'topojson-specification'

  const topology: Topology
  export default topology
}

/** Version of the console, set when it is built. */
declare const __APP_VERSION__: string
