/**
 * The error catalogue: every code a caller can meet, with its HTTP status.
 * Codes come from the specification (sections 8 of its three documents); those without a source there are ours.
 * Texts for people live in the console's locale files under `errors.<CODE>`; the messages here are for developers.
 */
export const errorCatalogue = {
  // General
  PARAMETER_VALIDATION_ERROR: { status: 400, message: 'A parameter is missing or has the wrong form' },
  VALIDATION_ERROR: { status: 422, message: 'The values contradict a rule' },
  BODY_NOT_JSON: { status: 400, message: 'The body is not valid JSON' },
  BODY_TYPE_UNSUPPORTED: { status: 415, message: 'The body is of another type than the operation takes' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is larger than allowed' },
  NOT_FOUND: { status: 404, message: 'Not found' },
  VERSION_CONFLICT: { status: 409, message: 'Somebody else has changed this in the meantime' },
  NO_PERMISSION: { status: 403, message: 'No permission' },
  REQUEST_TIMEOUT: { status: 504, message: 'The server did not finish in time' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests' },
  OVERLOADED: { status: 503, message: 'The platform is busy; try again shortly' },
  INTERNAL_ERROR: { status: 500, message: 'Something failed on the server' },

  // Addresses a user names, to which the platform would connect
  OUTGOING_HOST_UNKNOWN: { status: 422, message: 'The host is not known' },
  OUTGOING_ADDRESS_FORBIDDEN: {
    status: 422,
    message: 'The host is not on the public internet, and the operator does not allow its network',
  },

  // Signing in
  AUTH_LOGIN_PASSWORD_MISMATCH: { status: 401, message: 'Wrong user name or password' },
  AUTH_USER_NOT_FOUND: { status: 401, message: 'Wrong user name or password' },
  AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS: {
    status: 429,
    message: 'Too many wrong passwords; locked for 10 minutes',
  },
  AUTH_USER_DEACTIVATED: { status: 403, message: 'The user is deactivated' },
  AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE: { status: 403, message: 'The user has no access to any account' },
  AUTH_TOKEN_NOT_FOUND: { status: 401, message: 'Not signed in, or the session has ended' },
  '2FA_TOKEN_REQUIRED': { status: 401, message: 'A second factor is needed' },
  '2FA_TOKEN_FAILURE': { status: 401, message: 'Authorization code is invalid' },
  '2FA_SETUP_REQUIRED': { status: 403, message: 'The account demands a second factor: set it up first' },
  '2FA_NOT_SET_UP': { status: 409, message: 'No second factor is being set up' },
  '2FA_ENABLED_ALREADY': { status: 409, message: 'There is a second factor already' },
  '2FA_DEMANDED': { status: 409, message: 'The account demands a second factor' },
  AUTH_IMPERSONATING: { status: 403, message: 'Not while acting as another user' },
  AUTH_NOT_IMPERSONATING: { status: 409, message: 'Nobody acts as another user' },
  RESET_TOKEN_ERROR: { status: 400, message: 'The link is not valid any more, or was used already' },
  USER_PASSWORD_REQUIRED: { status: 422, message: 'A password is required' },
  USER_PASSWORD_MINLENGTH: { status: 422, message: 'The password is too short' },
  USER_PASSWORD_UPPERANDLOWERCASE: {
    status: 422,
    message: 'The password needs upper and lower case letters',
  },
  USER_PASSWORD_NUMBERS: { status: 422, message: 'The password needs a digit' },
  USER_PASSWORD_SPECIALCHARACTERS: { status: 422, message: 'The password needs a special character' },
  USER_PASSWORD_UNCHANGED: { status: 422, message: 'The new password must differ from the old one' },
  SESSION_NOT_FOUND: { status: 404, message: 'The session has ended already' },

  // Applications that sign people in with the platform
  APPLICATION_NOT_FOUND: { status: 404, message: 'Application not found' },
  APPLICATION_WITHOUT_SECRET: { status: 409, message: 'A public application has no secret' },
  APPLICATION_REQUEST_ENDED: {
    status: 404,
    message: 'The request has ended or was begun in another browser: start again in the application',
  },
  APPLICATION_OUT_OF_REACH: {
    status: 403,
    message: 'The user may do nothing in the account of the application',
  },
  EXCHANGE_CODE_ERROR: { status: 400, message: 'The code is not valid any more, or was used already' },

  // Single sign-on
  OIDC_CLIENT_NOT_FOUND: { status: 404, message: 'There is no such provider' },
  OIDC_AUTH_CODE_NOT_RETRIEVABLE: { status: 401, message: 'The provider gave no authorization code' },
  OIDC_ACCESS_TOKEN_NOT_RETRIEVABLE: {
    status: 401,
    message: 'The provider gave no valid token for the code',
  },
  OIDC_USER_INFO_UNAVAILABLE: { status: 401, message: 'The provider does not say who has signed in' },
  OIDC_USER_NOT_FOUND: { status: 403, message: 'Nobody here belongs to this person of the provider' },
  OIDC_USER_NOT_CREATABLE: { status: 403, message: 'The user could not be created' },
  OAUTH2_CLIENT_NOT_FOUND: { status: 404, message: 'There is no such provider' },
  OAUTH2_AUTH_CODE_NOT_RETRIEVABLE: { status: 401, message: 'The provider gave no authorization code' },
  OAUTH2_ACCESS_TOKEN_NOT_RETRIEVABLE: {
    status: 401,
    message: 'The provider gave no valid token for the code',
  },
  OAUTH2_USER_INFO_UNAVAILABLE: { status: 401, message: 'The provider does not say who has signed in' },
  OAUTH2_USER_NOT_FOUND: { status: 403, message: 'Nobody here belongs to this person of the provider' },
  OAUTH2_USER_NOT_CREATABLE: { status: 403, message: 'The user could not be created' },
  SSO_ATTEMPT_ENDED: {
    status: 401,
    message: 'The sign-in took too long, was begun in another window, or was used already',
  },
  SSO_USER_MAY_DO_MORE: {
    status: 403,
    message: 'The user may do more than the administrators of the account; only a password signs him in',
  },
  SSO_SIGN_IN_AGAIN: { status: 403, message: 'Sign in again through the provider first' },
  INVALID_REDIRECT_URL: { status: 400, message: 'The address to go to is not one of the console' },

  // Keys for programs
  API_KEY_NOT_FOUND: { status: 404, message: 'API key not found' },
  API_LIMIT_REACHED: { status: 429, message: 'The calls of this minute are used up' },
  MAX_USER_API_TOKEN_LIMIT_TOO_HIGH: { status: 422, message: 'At most 100 calls a minute' },

  // Accounts, users, roles
  TENANT_NOT_FOUND: { status: 404, message: 'Account not found' },
  TENANT_DUPLICATE: { status: 409, message: 'An account with this name exists here' },
  TENANT_DOMAIN_EXISTS: { status: 409, message: 'The domain belongs to another account' },
  TENANT_DOMAIN_UNKNOWN: { status: 409, message: 'The DNS does not know the domain' },
  TENANT_DOMAIN_DUPLICATE: { status: 422, message: 'The domain is listed twice' },
  TENANT_MOVE_TO_DESCENDANT: { status: 409, message: 'An account cannot be moved below itself' },
  TENANT_ROOT: { status: 409, message: 'The topmost account cannot be moved or deleted' },
  TENANT_DEVICE_LIMIT: { status: 409, message: 'The account may not have more virtual devices' },
  TENANT_DEVICE_LIMIT_ABOVE: {
    status: 409,
    message: 'An account above this one may not have more virtual devices below it',
  },
  TENANT_DELETE_COUNT: { status: 422, message: 'The number of virtual devices is not the one typed in' },
  TENANT_DELETE_HAS_DEPENDENCIES: { status: 409, message: 'The account still holds things' },
  MAIL_NO_SERVER: { status: 409, message: 'There is no mail server to send with' },
  MAIL_TRANSPORT_INVALID: { status: 422, message: 'The mail server did not take the mail' },
  MAIL_NO_SENDER: { status: 422, message: 'The mail server does not take mails from this sender' },
  MAIL_PASSWORD_NEEDED: {
    status: 422,
    message: 'Enter the password again: it is not sent to another server',
  },
  USER_NOT_FOUND: { status: 404, message: 'User not found' },
  USER_DUPLICATE: { status: 409, message: 'A user with this name or e-mail exists' },
  USER_DUPLICATE_IN_LIST: { status: 409, message: 'The list holds this name or e-mail twice' },
  USER_MAY_DO_MORE: {
    status: 403,
    message: 'The user may do more than you; only somebody who may as much can change him',
  },
  USER_SELF: { status: 409, message: 'Nobody deactivates or deletes himself' },
  USER_LAST_ADMIN: { status: 409, message: 'Nobody would be left who administers the installation' },
  USER_HAS_PASSWORD: { status: 409, message: 'The user has set a password already' },
  MODULE_OFF_ABOVE: { status: 409, message: 'Somebody above keeps the module off' },

  // Integrations, and queries for reporting
  INTEGRATION_NAME_DIFFERS: { status: 422, message: 'This is not the name of the account' },
  INTEGRATION_ACTIVE: { status: 409, message: 'The integration is active already' },
  INFLUX_NOT_ACTIVATED: { status: 403, message: 'Influx integration not activated, activate it please' },
  INFLUX_QUERY_INVALID: { status: 400, message: 'The query cannot be read' },
  SCOPE_NOT_FOUND: { status: 404, message: 'Scope not found' },
  SCOPE_DUPLICATE: { status: 409, message: 'This scope exists' },
  ABAC_ROLE_CREATE_DUPLICATE_NAME: { status: 409, message: 'The role name is in use' },
  ABAC_ROLE_NOT_FOUND: { status: 404, message: 'Role not found' },
  ABAC_ROLE_DELETE_IN_USE: { status: 409, message: 'The role is still given to somebody' },
  ABAC_ROLE_DELETE_SUPERSYSADMIN: { status: 409, message: 'The super admin role cannot be deleted' },
  ABAC_USERACCESS_DUPLICATE_ENTRY: { status: 409, message: 'The user has this access already' },

  // Connectors
  CONNECTOR_NOT_FOUND: { status: 404, message: 'Connector not found' },
  CONNECTOR_IN_USE: { status: 409, message: 'Virtual devices still use this connector' },
  CONNECTOR_DISABLED: { status: 403, message: 'The connector is disabled' },
  BRIDGE_INVALID_SETTINGS: { status: 422, message: 'The connector settings are not valid' },
  BRIDGE_CONNECTION_FAILED: { status: 422, message: 'The connection could not be established' },
  BRIDGE_INVALID_MUTATOR_SCRIPT: { status: 422, message: 'The template script is not valid' },
  BRIDGE_COMMAND_UNKNOWN: { status: 422, message: 'The connector does not know this command' },

  // What comes in (also reasons of dead letters)
  PACKET_INVALID: { status: 422, message: 'The message is not a packet this connector understands' },
  DEVICE_UNKNOWN: { status: 422, message: 'No virtual device has this identifier' },
  DEVICE_DISABLED: { status: 422, message: 'The virtual device is disabled' },
  PACKET_TOO_OLD: { status: 422, message: 'The time stamp is older than the retention' },
  PACKET_TOO_FAR_AHEAD: { status: 422, message: 'The time stamp is more than 24 hours ahead' },
  PACKET_TOO_LARGE: { status: 413, message: 'The message is larger than allowed' },
  VALUE_WRONG_TYPE: { status: 422, message: 'The value does not have the type of the state' },
  ROUTING_UNMATCHED: { status: 422, message: 'No twin has this reference id and state' },
  DRIVER_MISSING: { status: 422, message: 'The virtual device has no driver' },
  TOO_MANY_VARIABLES: { status: 422, message: 'The packet carries more variables than allowed' },

  // Scripts
  SCRIPT_SYNTAX: { status: 422, message: 'The script cannot be compiled' },
  SCRIPT_NO_FUNCTION: { status: 422, message: 'The script defines none of the known functions' },
  SCRIPT_ERROR: { status: 422, message: 'The script threw an error' },
  SCRIPT_TIMEOUT: { status: 422, message: 'The script ran longer than 100 ms' },
  SCRIPT_MEMORY: { status: 422, message: 'The script used more than 32 MB' },
  SCRIPT_OUTPUT_TOO_LARGE: { status: 422, message: 'The result of the script is larger than 64 KB' },
  SCRIPT_OUTPUT_INVALID: { status: 422, message: 'The result of the script cannot be used' },
  SCRIPT_INPUT_INVALID: { status: 422, message: 'The script cannot work with this message' },
  SCRIPT_CRASHED: { status: 422, message: 'The script took its sandbox down' },
  SCRIPT_QUARANTINED: { status: 422, message: 'The script rests after repeated crashes' },
  SCRIPT_ENGINE_BUSY: { status: 503, message: 'Too many scripts are waiting; try again' },
  SCRIPT_ENGINE_FAILED: { status: 503, message: 'The script engine failed; try again' },

  // Parsers of drivers
  PARSER_UNSET: { status: 422, message: 'The driver has no parser yet' },
  PARSER_NEEDS_BYTES: { status: 422, message: 'The parser reads bytes, and the message carries none' },
  PARSER_PAYLOAD_TOO_SHORT: { status: 422, message: 'The payload ends before a field of the layout' },
  PARSER_NO_LAYOUT: { status: 422, message: 'No layout of the driver is for this packet' },
  PARSER_VALUE_INVALID: { status: 422, message: 'The bytes of a field hold no such value' },
  PARSER_URL_TIMEOUT: { status: 422, message: 'The external parser did not answer in time' },
  PARSER_URL_FAILED: { status: 422, message: 'The external parser could not be asked' },
  PARSER_URL_RESTING: { status: 422, message: 'The external parser rests after repeated failures' },
  PARSER_URL_BUSY: { status: 422, message: 'Too many packets wait for the external parser' },
  PARSER_URL_ANSWER_INVALID: { status: 422, message: 'The answer of the external parser cannot be used' },
  PARSER_URL_REFUSED: { status: 422, message: 'The external parser refused the packet' },
  PARSER_ELIXIR_MISSING: { status: 422, message: "Elixir is not installed on the server's machine" },
  CALCULATION_FAILED: { status: 422, message: 'A calculated variable could not be computed' },
  CALCULATED_INVALID: { status: 422, message: 'The expression of a calculated variable cannot be read' },
  CALCULATED_CYCLE: { status: 422, message: 'Calculated variables need each other in a circle' },

  // Drivers
  HEALTH_ENTRY_NOT_FOUND: {
    status: 404,
    message: 'The virtual device has no health entry of this identifier',
  },
  DEVICEDRIVER_NOT_FOUND: { status: 404, message: 'Driver not found' },
  DEVICEDRIVER_IN_USE: { status: 409, message: 'Virtual devices still use this driver' },
  DEVICEDRIVER_ALIKE_VARIABLES: { status: 409, message: 'Names of variables differ by case only' },
  DEVICEDRIVER_GOLDEN_MISMATCH: { status: 409, message: 'Golden packets no longer decode to what was kept' },

  // Virtual devices
  VDEVICE_NOT_FOUND: { status: 404, message: 'Virtual device not found' },
  DEVICE_ALREADY_EXISTS: {
    status: 409,
    message: 'This connector already has a device with this external id',
  },
  DEVICE_EUI_INVALID: {
    status: 422,
    message: 'The network server names its devices by EUI-64: 16 hexadecimal digits',
  },
  DOWNLINK_NOT_FOUND: { status: 404, message: 'The device has no such downlink' },
  DOWNLINK_NOT_POSSIBLE: { status: 422, message: 'Nothing can be sent to this device' },
  DOWNLINK_INVALID: { status: 422, message: 'The downlink cannot be sent like this' },
  DOWNLINK_QUEUE_FULL: { status: 409, message: 'Too many downlinks are waiting' },
  DOWNLINK_NOT_WAITING: { status: 409, message: 'The downlink does not wait any more' },
  VDEVICE_DELETE_STATES_AGGREGATED: { status: 409, message: 'States of the device are aggregated elsewhere' },

  // Saved filters of the device list
  DEVICE_VIEW_NOT_FOUND: { status: 404, message: 'Saved filter not found' },
  DEVICE_VIEW_ALREADY_EXISTS: { status: 409, message: 'There is a saved filter of this title already' },
  DEVICE_VIEW_TOO_MANY: { status: 409, message: 'No more filters can be saved' },

  // Files
  FILE_NOT_FOUND: { status: 404, message: 'File not found' },
  FILE_EMPTY: { status: 422, message: 'The file is empty' },
  FILE_TYPE_REFUSED: { status: 422, message: 'Files of this type are not stored' },
  FILE_NO_PICTURE: { status: 422, message: 'The file is no JPEG, PNG or WebP picture' },
  FILE_PICTURE_TOO_LARGE: { status: 422, message: 'The picture has too many pixels' },
  FILE_TOO_MANY: { status: 409, message: 'The object has as many attachments as it may' },
  TENANT_FILE_LIMIT: { status: 409, message: 'The account may not have more files' },
  TENANT_FILE_LIMIT_ABOVE: { status: 409, message: 'An account above may not have more files' },

  // Importing drivers
  IMPORT_ARCHIVE_UNREADABLE: { status: 422, message: 'The archive cannot be read' },
  IMPORT_ARCHIVE_TOO_LARGE: { status: 413, message: 'The archive unpacks to more than allowed' },
  IMPORT_NOTHING_FOUND: { status: 422, message: 'The archive holds no device of a known layout' },
  IMPORT_TOO_MANY: { status: 422, message: 'The archive holds more devices than can be imported at once' },

  // Twins and states
  DTWIN_NOT_FOUND: { status: 404, message: 'Digital twin not found' },
  DTWIN_DUPLICATE: { status: 409, message: 'This digital twin exists' },
  USER_RELATION_DUPLICATE: { status: 409, message: 'The user has this responsibility already' },
  USER_RELATION_NOT_FOUND: { status: 404, message: 'The user does not have this responsibility' },
  USER_RELATION_LIMIT: { status: 409, message: 'The object has as many responsible users as it can' },
  DTWIN_MOVE_TO_DESCENDANT: { status: 409, message: 'A twin cannot be moved below itself' },
  DTWIN_ACCOUNT_CHANGE: { status: 409, message: 'A twin cannot be moved to another account' },
  DTWIN_DELETE_HAS_DEPENDENCIES: { status: 409, message: 'The twin still has dependencies' },
  DTWIN_STATE_NOT_FOUND: { status: 404, message: 'State not found' },
  DTWIN_STATE_DUPLICATE_KEY: { status: 409, message: 'The twin already has a state with this key' },
  DTWIN_STATE_KEY_IMMUTABLE: { status: 422, message: 'The key of a state cannot be changed' },
  DTWIN_STATE_AGGREGATED: { status: 409, message: 'The state is used in aggregations' },
  AGGREGATE_LOOP: { status: 409, message: 'The aggregation would feed itself' },
  INVALID_JSON_VALUE: { status: 422, message: 'invalid JSON string' },
  INVALID_DATE_RANGE: { status: 422, message: 'The start must be before the end' },

  // Rules
  DDR_NOT_FOUND: { status: 404, message: 'Rule not found' },
  DDR_DUPLICATE_NAME: { status: 409, message: 'The twin already has a rule with this name' },

  // Dashboards
  DASHBOARD_NOT_FOUND: { status: 404, message: 'Dashboard not found' },
  WIDGET_NOT_FOUND: { status: 404, message: 'Widget not found' },

  // Background jobs
  BACKGROUND_JOB_NOT_FOUND: { status: 404, message: 'Background job not found' },
  BACKGROUND_JOB_STATE: { status: 409, message: 'The state of the background job does not allow this' },
  BULK_SEVERAL_ACCOUNTS: { status: 422, message: 'All devices must belong to one account' },
  BULK_COUNT: { status: 422, message: 'The number of devices is not the one typed in' },
  BULK_FILE_UNREADABLE: { status: 422, message: 'The file is no CSV or XLSX that can be read' },
  BULK_FILE_EMPTY: { status: 422, message: 'The file has no line of titles, or no rows below it' },
  BULK_UPLOAD_NOT_FOUND: { status: 404, message: 'The uploaded file is not there any more' },
  BULK_ROWS_FAULTY: { status: 422, message: 'Rows of the file have faults' },
  BACKGROUND_JOB_TOO_LARGE: {
    status: 422,
    message: 'The selection is larger than one background job may be',
  },
  DEAD_LETTER_NOT_FOUND: { status: 404, message: 'Dead letter not found' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errorCatalogue

/** Shape of every error reply of the API. `requestId` finds the request in the server's log. */
export interface ErrorReply {
  code: ErrorCode
  message: string
  data?: Record<string, unknown>
  requestId: string
}
