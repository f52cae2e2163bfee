/**
 * What features let those below them join: a select without a condition, registered by the owner of the
 * tables. Names and columns are the promise; the tables behind them may change. PostgreSQL inlines it, so a
 * join costs no more than one with the tables, and unused columns nothing.
 */
export interface Views {
  apiKeyRoles: { id: number; account_id: number; title: string; role_id: number; scope_id: number }
  /** `scopes` are the permissions it may ask for */
  applications: { id: number; account_id: number; title: string; scopes: string[] }
  connectors: {
    id: number
    account_id: number
    scope_id: number
    name: string
    kind: string
    preset: string
    remote: string
    /** devices and states can receive data through it */
    receives: boolean
  }
  devices: {
    id: number
    title: string
    account_id: number
    scope_id: number
    driver_id: number | null
    template_id: number | null
    last_seen: Date | null
  }
  deviceTemplates: {
    id: number
    title: string
    account_id: number
    scope_id: number
    search: string | null
    publication: number | null
    /** of the published content */
    properties: unknown
  }
  /** keys of doors that are not revoked */
  doorKeys: { user_id: number; valid_until: Date | null }
  driverPictures: { id: number; driver_id: number }
  /** the pictures of floor plans */
  floorPlans: { id: number; twin_id: number }
  healthConfigs: { device_id: number; from_template: boolean }
  /** problems that still exist */
  healthProblems: { device_id: number; category: string | null }
  healthRefreshes: { device_id: number }
  /** the account is that of the provider */
  identities: { user_id: number; account_id: number }
  mappedRoles: { client_id: number; account_id: number; title: string; role_id: number; scope_id: number }
  /** packets of past days, see `packetsOf` */
  packetDays: {
    device_id: number
    first_at: Date
    last_at: Date
    first_id: string
    count: number
    errors: number
    packets: string
  }
  /** those that are not compacted; all of them: `packetsOf` */
  packets: {
    id: string
    device_id: number
    connector_id: number
    received_at: Date
    time: Date
    f_port: number | null
    f_cnt: string | null
    payload: string
    encoding: string
    meta: unknown
    variables: unknown
    error: unknown
    driver_id: number | null
    driver_version: number | null
    duration_us: number
  }
  /** images and sounds of warn monitors; sizes in bytes */
  monitorMedia: { account_id: number; size: number }
  rules: { id: number; title: string; search: string | null }
  stateLinks: { state_id: number; source_state_id: number }
  states: {
    id: number
    twin_id: number
    key: string
    title: string
    unit: string
    source: string
    source_settings: unknown
    value_type: string
    decimals: number | null
    transformer: string | null
    position_axis: string | null
    /** of a digital twin, with limits */
    has_level: boolean
    version: number
  }
  twins: {
    id: number
    category: string
    account_id: number
    scope_id: number
    title: string
    disabled: boolean
  }
  users: { id: number; account_id: number; username: string; active: boolean }
}
