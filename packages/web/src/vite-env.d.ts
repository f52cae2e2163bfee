/// <reference types="vite/client" />

declare module 'virtual:contract' {
  import type { AnyContractRouter } from '@orpc/contract'

  /** The contract's routes without schemas, see `vite.config.ts`. */
  const routes: AnyContractRouter
  export default routes
}

declare module 'virtual:texts/*' {
  /** Part of the texts of one language, see `vite.config.ts`. */
  const texts: Record<string, unknown>
  export default texts
}

declare module '@fontsource-variable/inter'

declare module 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url' {
  const url: string
  export default url
}

/** Version of the console, set at build time. */
declare const __APP_VERSION__: string

declare module 'echarts/i18n/langDE-obj.js' {
  const texts: Parameters<typeof import('echarts/core').registerLocale>[1]
  export default texts
}
