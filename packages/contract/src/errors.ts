import * as z from 'zod'

/**
 * The error catalogue: every error code with its HTTP status and meaning. Codes come from the specification
 * (sections 8 of its three documents); those without a source there are ours. Texts for users are in the
 * console's locale files under `errors.<CODE>`; the messages here are for developers.
 */
export const errorCatalogue = {
  // General
  PARAMETER_VALIDATION_ERROR: [400, 'A parameter is missing or has the wrong form'],
  VALIDATION_ERROR: [422, 'The values contradict a rule'],
  BODY_NOT_JSON: [400, 'The body is not valid JSON'],
  BODY_TYPE_UNSUPPORTED: [415, 'The operation does not accept this content type'],
  BODY_TOO_LARGE: [413, 'The body is larger than allowed'],
  NOT_FOUND: [404, 'Not found'],
  VERSION_CONFLICT: [409, 'Another user has changed this in the meantime'],
  NO_PERMISSION: [403, 'No permission'],
  REQUEST_TIMEOUT: [504, 'The server did not finish in time'],
  TOO_MANY_REQUESTS: [429, 'Too many requests'],
  OVERLOADED: [503, 'The platform is busy; try again shortly'],
  INTERNAL_ERROR: [500, 'Something failed on the server'],

  // Addresses a user names, to which the platform would connect
  OUTGOING_HOST_UNKNOWN: [422, 'The host name cannot be resolved'],
  OUTGOING_ADDRESS_FORBIDDEN: [422, 'The platform may not connect to the network of this host'],

  // Signing in
  AUTH_LOGIN_PASSWORD_MISMATCH: [401, 'Wrong user name or password'],
  AUTH_USER_NOT_FOUND: [401, 'Wrong user name or password'],
  AUTH_LOGIN_TOO_MANY_WRONG_REQUESTS: [429, 'Too many wrong passwords; locked for 10 minutes'],
  AUTH_USER_DEACTIVATED: [403, 'The user is deactivated'],
  AUTH_USER_UNASSIGNED_TENANT_OR_SCOPE: [403, 'The user has no access to any account'],
  AUTH_TOKEN_NOT_FOUND: [401, 'Not signed in, or the session has ended'],
  '2FA_TOKEN_REQUIRED': [401, 'A second factor is required'],
  '2FA_TOKEN_FAILURE': [401, 'Authorization code is invalid'],
  '2FA_SETUP_REQUIRED': [403, 'The account requires a second factor: set it up first'],
  '2FA_NOT_SET_UP': [409, 'No second factor is being set up'],
  '2FA_ENABLED_ALREADY': [409, 'A second factor is already set up'],
  '2FA_DEMANDED': [409, 'The account requires a second factor'],
  AUTH_IMPERSONATING: [403, 'Not possible while acting as another user'],
  AUTH_LOOKING: [403, 'Nothing can be changed while looking at the console of another user'],
  AUTH_NOT_IMPERSONATING: [409, 'You are not acting as another user'],
  RESET_TOKEN_ERROR: [400, 'The link has expired or was already used'],
  USER_PASSWORD_REQUIRED: [422, 'A password is required'],
  USER_PASSWORD_MINLENGTH: [422, 'The password is too short'],
  USER_PASSWORD_UPPERANDLOWERCASE: [422, 'The password needs upper and lower case letters'],
  USER_PASSWORD_NUMBERS: [422, 'The password needs a digit'],
  USER_PASSWORD_SPECIALCHARACTERS: [422, 'The password needs a special character'],
  USER_PASSWORD_COMMON: [422, 'The password is too common'],
  USER_PASSWORD_UNCHANGED: [422, 'The new password must differ from the old one'],
  SESSION_NOT_FOUND: [404, 'The session has already ended'],

  // Applications that sign people in with the platform
  APPLICATION_NOT_FOUND: [404, 'Application not found'],
  APPLICATION_WITHOUT_SECRET: [409, 'A public application has no secret'],
  APPLICATION_REQUEST_ENDED: [404, 'The request has expired or was started in another browser: start again'],
  APPLICATION_NO_ROLE: [403, 'The user has no role in Grafana, or the account has not activated it'],
  APPLICATION_OUT_OF_REACH: [403, 'The user has no rights in the account of the application'],
  SERVICE_BUILDER_NOT_FOUND: [404, 'Service builder not found'],
  EXCHANGE_CODE_ERROR: [400, 'The code has expired or was already used'],

  // Single sign-on
  OIDC_CLIENT_NOT_FOUND: [404, 'Provider not found'],
  OIDC_AUTH_CODE_NOT_RETRIEVABLE: [401, 'The provider returned no authorization code'],
  OIDC_ACCESS_TOKEN_NOT_RETRIEVABLE: [401, 'The provider returned no valid token for the code'],
  OIDC_USER_INFO_UNAVAILABLE: [401, 'The provider did not return the user'],
  OIDC_USER_NOT_FOUND: [403, 'No user matches this identity'],
  OIDC_USER_NOT_CREATABLE: [403, 'The user could not be created'],
  OAUTH2_CLIENT_NOT_FOUND: [404, 'Provider not found'],
  OAUTH2_AUTH_CODE_NOT_RETRIEVABLE: [401, 'The provider returned no authorization code'],
  OAUTH2_ACCESS_TOKEN_NOT_RETRIEVABLE: [401, 'The provider returned no valid token for the code'],
  OAUTH2_USER_INFO_UNAVAILABLE: [401, 'The provider did not return the user'],
  OAUTH2_USER_NOT_FOUND: [403, 'No user matches this identity'],
  OAUTH2_USER_NOT_CREATABLE: [403, 'The user could not be created'],
  SSO_ATTEMPT_ENDED: [401, 'The sign-in took too long, was started in another window, or was already used'],
  SSO_USER_MAY_DO_MORE: [
    403,
    'The user has more rights than the administrators of the account: use a password',
  ],
  SSO_SIGN_IN_AGAIN: [403, 'Sign in again through the provider first'],
  INVALID_REDIRECT_URL: [400, 'The redirect address does not belong to the console'],

  // Keys for programs
  API_KEY_NOT_FOUND: [404, 'API key not found'],
  API_KEY_IS_LINK: [409, 'The key is a public link: change it where it was created'],
  API_LIMIT_REACHED: [429, 'The limit of calls per minute is reached'],
  MAX_USER_API_TOKEN_LIMIT_TOO_HIGH: [422, 'At most 100 calls a minute are allowed'],

  // Accounts, users, roles
  TENANT_NOT_FOUND: [404, 'Account not found'],
  TENANT_DUPLICATE: [409, 'An account with this name already exists here'],
  TENANT_DOMAIN_EXISTS: [409, 'Another account has verified the domain'],
  TENANT_DOMAIN_RESERVED: [409, 'The name is reserved for the installation or is not a domain'],
  TENANT_DOMAIN_NOT_FOUND: [404, 'The account does not have this domain'],
  BRAND_IMAGE_REFUSED: [422, 'The image of a brand is not a fitting PNG'],
  BRAND_NOT_FOUND: [404, 'The domain has no brand'],
  TENANT_DOMAIN_TOO_MANY: [409, 'The account has reached its limit of domains'],
  TENANT_DOMAIN_UNKNOWN: [409, 'The domain does not exist in DNS'],
  TENANT_DOMAIN_DUPLICATE: [422, 'The domain is listed twice'],
  TENANT_MOVE_TO_DESCENDANT: [409, 'An account cannot be moved below itself'],
  TENANT_ROOT: [409, 'The top account cannot be moved or deleted'],
  TENANT_DEVICE_LIMIT: [409, 'The account has reached its limit of virtual devices'],
  TENANT_DEVICE_LIMIT_ABOVE: [409, 'An account above has reached its limit of virtual devices'],
  TENANT_TEMPLATE_LIMIT: [409, 'The account has reached its limit of device templates'],
  TENANT_TEMPLATE_LIMIT_ABOVE: [409, 'An account above has reached its limit of device templates'],
  TENANT_FILE_LIMIT: [409, 'The account has reached its limit of files'],
  TENANT_FILE_LIMIT_ABOVE: [409, 'An account above has reached its limit of files'],
  TENANT_DELETE_COUNT: [422, 'The number of virtual devices entered is wrong'],
  TENANT_DELETE_HAS_DEPENDENCIES: [409, 'The account is not empty'],
  MAIL_NO_SERVER: [409, 'No mail server is configured'],
  MAIL_TRANSPORT_INVALID: [422, 'The mail server rejected the mail'],
  MAIL_NO_SENDER: [422, 'The mail server does not accept this sender'],
  MAIL_TEMPLATE_NOT_FOUND: [404, 'There is no such email template'],
  MAIL_TEMPLATE_INVALID: [422, 'The email template has errors'],
  MAIL_TEMPLATE_FIXED: [403, 'Only the topmost account can change this email template'],
  MAIL_PASSWORD_NEEDED: [422, 'Enter the password again: it is not sent to another server'],
  USER_NOT_FOUND: [404, 'User not found'],
  USER_DUPLICATE: [409, 'A user with this name or e-mail address already exists'],
  USER_DUPLICATE_IN_LIST: [409, 'The list contains this name or e-mail address twice'],
  USER_MAY_DO_MORE: [
    403,
    'The user has more rights than you and can be changed only by users with at least the same rights',
  ],
  USER_SELF: [409, 'Users cannot deactivate or delete themselves'],
  USER_LAST_ADMIN: [409, 'The installation needs at least one administrator'],
  USER_HAS_PASSWORD: [409, 'The user has already set a password'],
  USER_WITHOUT_PASSWORD: [409, 'The user has not accepted the invitation yet: send it again'],
  USER_IN_ACCOUNT: [409, 'The user already belongs to this account'],
  SCOPE_NOT_FOUND: [404, 'Scope not found'],
  SCOPE_DUPLICATE: [409, 'The twin already has a scope of its own'],
  SCOPE_IN_USE: [409, 'Roles are still given on the scope'],
  ABAC_ROLE_CREATE_DUPLICATE_NAME: [409, 'A role with this name already exists'],
  ABAC_ROLE_NOT_FOUND: [404, 'Role not found'],
  ABAC_ROLE_DELETE_IN_USE: [409, 'The role is still assigned to users'],
  ABAC_ROLE_DELETE_SUPERSYSADMIN: [409, 'The super admin role cannot be deleted'],
  ABAC_USERACCESS_DUPLICATE_ENTRY: [409, 'The user already has this access'],
  MODULE_OFF_ABOVE: [409, 'The module is switched off in an account above'],

  // Integrations, and queries for reporting
  INTEGRATION_NAME_DIFFERS: [422, 'This is not the name of the account'],
  INTEGRATION_ACTIVE: [409, 'The integration is already active'],
  INFLUX_NOT_ACTIVATED: [403, 'Influx integration not activated, activate it please'],
  INFLUX_QUERY_INVALID: [400, 'The query is not valid'],

  // Connectors
  CONNECTOR_NOT_FOUND: [404, 'Connector not found'],
  CONNECTOR_IN_USE: [409, 'Virtual devices use this connector'],
  CONNECTOR_KEYLESS: [409, 'Connectors of this kind have no keys'],
  CONNECTOR_KEYS_MAX: [409, 'The connector has reached its limit of keys: end one first'],
  CONNECTOR_KEY_NOT_FOUND: [404, 'Key not found'],
  CONNECTOR_DISABLED: [403, 'The connector is disabled'],
  BRIDGE_INVALID_SETTINGS: [422, 'The connector settings are not valid'],
  BRIDGE_CONNECTION_FAILED: [422, 'The connection could not be established'],
  BRIDGE_INVALID_MUTATOR_SCRIPT: [422, 'The template script is not valid'],

  // What comes in (also reasons of dead letters)
  DEAD_LETTER_NOT_FOUND: [404, 'Dead letter not found'],
  PACKET_INVALID: [422, 'The message is not a packet this connector can read'],
  DEVICE_UNKNOWN: [422, 'No virtual device has this identifier'],
  DEVICE_DISABLED: [422, 'The virtual device is disabled'],
  PACKET_TOO_OLD: [422, 'The time stamp is older than the retention'],
  PACKET_TOO_FAR_AHEAD: [422, 'The time stamp is more than 24 hours ahead'],
  PACKET_TOO_LARGE: [413, 'The message is larger than allowed'],
  VALUE_WRONG_TYPE: [422, 'The value does not have the type of the state'],
  ROUTING_UNMATCHED: [422, 'No twin has this reference id and state'],
  DRIVER_MISSING: [422, 'The virtual device has no driver'],
  TOO_MANY_VARIABLES: [422, 'The packet has more variables than allowed'],

  // Scripts
  SCRIPT_SYNTAX: [422, 'The script cannot be compiled'],
  SCRIPT_NO_FUNCTION: [422, 'The script defines none of the supported functions'],
  SCRIPT_ERROR: [422, 'The script threw an error'],
  SCRIPT_TIMEOUT: [422, 'The script ran longer than 100 ms'],
  SCRIPT_MEMORY: [422, 'The script used more than 32 MB'],
  SCRIPT_OUTPUT_TOO_LARGE: [422, 'The result of the script is larger than 64 KB'],
  SCRIPT_OUTPUT_INVALID: [422, 'The result of the script cannot be used'],
  SCRIPT_INPUT_INVALID: [422, 'The script cannot process this message'],
  SCRIPT_CRASHED: [422, 'The script crashed its sandbox'],
  SCRIPT_QUARANTINED: [422, 'The script is paused after repeated crashes'],
  SCRIPT_ENGINE_BUSY: [503, 'Too many scripts are waiting; try again'],
  SCRIPT_ENGINE_FAILED: [503, 'The script engine failed; try again'],

  // Parsers of drivers
  PARSER_UNSET: [422, 'The driver has no parser yet'],
  PARSER_NEEDS_BYTES: [422, 'The parser reads bytes, but the message has none'],
  PARSER_PAYLOAD_TOO_SHORT: [422, 'The payload ends before a field of the layout'],
  PARSER_NO_LAYOUT: [422, 'No layout of the driver matches this packet'],
  PARSER_VALUE_INVALID: [422, 'The bytes of a field are not a valid value'],
  PARSER_URL_TIMEOUT: [422, 'The external parser did not answer in time'],
  PARSER_URL_FAILED: [422, 'The call to the external parser failed'],
  PARSER_URL_RESTING: [422, 'The external parser is paused after repeated failures'],
  PARSER_URL_BUSY: [422, 'Too many packets are waiting for the external parser'],
  PARSER_URL_ANSWER_INVALID: [422, 'The response of the external parser cannot be used'],
  PARSER_URL_REFUSED: [422, 'The external parser refused the packet'],
  PARSER_ELIXIR_MISSING: [422, 'Parsers in Elixir cannot run on this server'],
  PARSER_ELIXIR_OVER_BUDGET: [422, "The account's parsers have used up their processor time for now"],
  CALCULATION_FAILED: [422, 'A calculated variable could not be computed'],
  CALCULATED_INVALID: [422, 'The expression of a calculated variable is not valid'],
  CALCULATED_CYCLE: [422, 'Calculated variables depend on each other in a cycle'],

  // Drivers
  DEVICEDRIVER_NOT_FOUND: [404, 'Driver not found'],
  DEVICEDRIVER_IN_USE: [409, 'Virtual devices use this driver'],
  DEVICEDRIVER_NOT_ACCEPTED: [409, 'The driver belongs to another account and must be accepted first'],
  DEVICEDRIVER_ALIKE_VARIABLES: [409, 'Variable names differ only in case'],
  DEVICEDRIVER_GOLDEN_MISMATCH: [409, 'Golden packets no longer decode to their expected values'],

  // Virtual devices
  VDEVICE_NOT_FOUND: [404, 'Virtual device not found'],
  HEALTH_ENTRY_NOT_FOUND: [404, 'The virtual device has no health entry with this identifier'],
  DEVICE_ALREADY_EXISTS: [409, 'This connector already has a device with this external id'],
  DEVICE_EUI_INVALID: [422, 'The network server identifies devices by EUI-64: 16 hexadecimal digits'],
  VDEVICE_DELETE_STATES_AGGREGATED: [409, 'States of the device are aggregated elsewhere'],
  DOWNLINK_NOT_FOUND: [404, 'The device has no such downlink'],
  DOWNLINK_NOT_POSSIBLE: [422, 'Downlinks to this device are not possible'],
  DOWNLINK_INVALID: [422, 'The downlink is not valid'],
  DOWNLINK_QUEUE_FULL: [409, 'Too many downlinks are waiting'],
  DOWNLINK_NOT_WAITING: [409, 'The downlink is no longer waiting'],

  // Device templates
  DEVICE_TEMPLATE_NOT_FOUND: [404, 'Device template not found'],
  DEVICE_TEMPLATE_TITLE_TAKEN: [409, 'The account already has a device template with this title'],
  DEVICE_TEMPLATE_INVALID: [422, 'The parts of the device template contradict each other'],
  DEVICE_TEMPLATE_LINKED: [409, 'Virtual devices are linked to the device template'],
  DEVICE_TEMPLATE_NOT_PUBLISHED: [409, 'The device template was never published'],
  DEVICE_TEMPLATE_CONNECTOR_DELETED: [409, "The device template's connector was deleted"],
  DEVICE_TEMPLATE_SYNC_RUNNING: [409, 'Devices are being synchronised with the device template'],
  DEVICE_TEMPLATE_FIXED: [
    409,
    'The value comes from the device template and cannot be changed on a linked device',
  ],
  DEVICE_TEMPLATE_PROPERTY_MISSING: [422, 'A property required by the device template is missing'],
  DEVICE_TEMPLATE_MISMATCH: [409, 'The device does not match the device template'],
  DEVICE_TEMPLATE_ALREADY_LINKED: [409, 'The device is already linked to a device template'],
  DEVICE_TEMPLATE_NOT_LINKED: [409, 'The device is not linked to a device template'],
  DEVICE_TEMPLATE_CONNECTOR_IN_USE: [409, 'Devices of another connector are linked to the device template'],

  // Saved filters of the device list
  SMART_GROUP_NOT_FOUND: [404, 'Smart group not found'],
  SMART_GROUP_ALREADY_EXISTS: [409, 'The account already has a smart group with this title'],
  SMART_GROUP_TOO_MANY: [409, 'The account has as many smart groups as possible'],
  SMART_GROUP_FOREIGN_ACCOUNT: [400, "The filter names an account that is neither the group's nor below it"],
  SMART_GROUP_IN_USE: [409, 'The smart group is in use'],
  DEVICE_VIEW_NOT_FOUND: [404, 'Saved filter not found'],
  DEVICE_VIEW_ALREADY_EXISTS: [409, 'A saved filter with this title already exists'],
  DEVICE_VIEW_TOO_MANY: [409, 'The limit of saved filters is reached'],

  // Devices at the network server behind a connector
  REMOTE_NOT_SUPPORTED: [422, 'The connector has no access to a network server'],
  REMOTE_UNREACHABLE: [422, 'The network server cannot be reached'],
  REMOTE_REFUSED: [422, 'The network server refused the request'],
  REMOTE_ANSWER_INVALID: [422, 'The response of the network server cannot be read'],
  REMOTE_DEVICE_NOT_FOUND: [404, 'The network server does not know the device'],
  REMOTE_NOTHING_NEW: [422, 'All of these devices already exist here'],

  // Looking up addresses
  GEOCODER_OFF: [409, 'No geocoder is configured'],
  GEOCODER_UNREACHABLE: [422, 'The geocoder cannot be reached'],
  GEOCODER_ANSWER_INVALID: [422, 'The response of the geocoder cannot be read'],

  // Files
  FILE_NOT_FOUND: [404, 'File not found'],
  FILE_EMPTY: [422, 'The file is empty'],
  FILE_TYPE_REFUSED: [422, 'Files of this type are not accepted'],
  FILE_NO_PICTURE: [422, 'The file is not a JPEG, PNG or WebP picture'],
  FILE_PICTURE_TOO_LARGE: [422, 'The picture has too many pixels'],
  FILE_TOO_DEMANDING: [422, 'Reading the file takes more time or memory than allowed'],
  FILE_TOO_MANY: [409, 'The object has reached its limit of attachments'],

  // Importing drivers
  IMPORT_ARCHIVE_UNREADABLE: [422, 'The archive cannot be read'],
  IMPORT_ARCHIVE_TOO_LARGE: [413, 'The unpacked archive is larger than allowed'],
  IMPORT_NOTHING_FOUND: [422, 'The archive contains no device in a supported layout'],
  IMPORT_TOO_MANY: [422, 'The archive contains more devices than can be imported at once'],

  // Twins and states
  DTWIN_NOT_FOUND: [404, 'Digital twin not found'],
  USER_RELATION_DUPLICATE: [409, 'The user already has this responsibility'],
  USER_RELATION_NOT_FOUND: [404, 'The user does not have this responsibility'],
  ALARM_COMMENTS_LIMIT: [409, 'An alarm has as many comments as it can have'],
  ALARM_ASSIGNEE_INVALID: [422, 'The user does not see all of these alarms'],
  ALARM_SNOOZE_INVALID: [422, 'Alarms can be set aside until a time in the future, at most 90 days from now'],
  MAINTENANCE_TIMES_INVALID: [
    422,
    'Maintenance ends in the future, after its begin, and lasts a year at most',
  ],
  MAINTENANCE_LIMIT: [409, 'The account has as many maintenance windows as it can have'],
  ANNOUNCEMENT_NOT_FOUND: [404, 'Announcement not found'],
  ANNOUNCEMENT_ENDED: [409, 'An active announcement needs an end in the future, or none'],
  ANNOUNCEMENTS_LIMIT: [409, 'The account has as many announcements, or active ones, as it can have'],
  TERMINAL_COMMAND_UNKNOWN: [422, 'The terminal has no such command'],
  TERMINAL_ARGUMENT_INVALID: [422, 'The command needs another argument, or none'],
  TERMINAL_CONFIRMATION_INVALID: [
    409,
    'The confirmation has expired or belongs to another line: run it again',
  ],
  TERMINAL_LEASE_NOT_FOUND: [404, 'No node has this lease'],
  DEMO_NOT_FOUND: [404, 'There is no demo city'],
  DEMO_CHANGED: [409, 'The demo city has changed since it was looked at'],
  DEMO_IN_USE: [409, 'Something outside of the demo city needs a part of it'],
  TERMINAL_BUSY: [429, 'A command of the same user is still running'],
  NOTIFICATIONS_LIMIT: [409, 'A user can have 20 notifications at most'],
  NOTIFICATION_CONNECTOR_INVALID: [
    422,
    'The channel needs a webhook of the own account, and only that channel',
  ],
  NOTIFICATION_TOO_MANY: [429, 'Too many messages in a short time'],
  ALARM_REPORT_NOT_FOUND: [404, 'Alarm report not found'],
  ALARM_REPORT_ALREADY_EXISTS: [409, 'The account already has an alarm report with this title'],
  ALARM_REPORT_LIMIT: [409, 'The account has as many alarm reports as it can have'],
  ALARM_REPORT_NO_TARGET: [422, 'An alarm report needs a recipient or a connector'],
  ALARM_REPORT_CONNECTOR_INVALID: [
    422,
    'An alarm report needs a connector of its account that takes messages, or one that publishes with a topic',
  ],
  ALARM_REPORT_TEST_TOO_MANY: [429, 'Too many alarm reports tried in a short time'],
  USER_RELATION_LIMIT: [409, 'The object has reached its limit of responsible users'],
  DTWIN_NOT_A_FLOOR: [409, 'Only twins of the type floor have a floor plan'],
  DTWIN_MOVE_TO_DESCENDANT: [409, 'A twin cannot be moved below itself'],
  DTWIN_ACCOUNT_CHANGE: [409, 'A twin cannot be moved to another account'],
  DTWIN_COPY_FAILED: [409, 'The twin could not be copied, because the twin above it was not'],
  DTWIN_COPY_TIMED_OUT: [504, 'Copying takes longer than expected and continues in the background'],
  DTWIN_SYNC_FAILED: [409, 'The twin cannot be synchronised'],
  DTWIN_UNDO_ENDED: [404, 'The change can no longer be undone'],
  DTWIN_DELETE_HAS_DEPENDENCIES: [409, 'The twin still has dependencies'],
  DTWIN_STATE_NOT_FOUND: [404, 'State not found'],
  DTWIN_STATE_DUPLICATE_KEY: [409, 'The twin already has a state with this key'],
  DTWIN_STATE_KEY_IMMUTABLE: [422, 'The key of a state cannot be changed'],
  DTWIN_STATE_VALUE_NOT_FOUND: [404, 'The state has no value with this time'],
  DTWIN_STATE_UNITS: [422, 'Values of the old unit cannot be converted to the new one'],
  DTWIN_STATE_COMPUTED: [422, 'The values of a computed state follow from others'],
  VALUE_UPLOAD_COLUMNS: [422, 'The file needs a column with the time and columns of states'],
  VALUE_UPLOAD_TWIN_COLUMN: [422, 'The file needs columns with the time, the twin and states'],
  VALUE_UPLOAD_TOO_LARGE: [422, 'The file has too many values'],
  DTWIN_STATE_POSITION_TAKEN: [409, 'Another state of the twin is linked to this part of its position'],
  DTWIN_STATE_CONVERTING: [409, 'The values of the state are being converted to another unit'],
  DTWIN_STATE_AGGREGATED: [409, 'The state is used in aggregations'],
  AGGREGATE_LOOP: [409, 'The aggregation would depend on itself'],
  INVALID_JSON_VALUE: [422, 'invalid JSON string'],
  INVALID_DATE_RANGE: [422, 'The start must be before the end'],
  END_IN_THE_PAST: [422, 'The end is in the past'],

  // Tickets
  TICKET_NOT_FOUND: [404, 'Ticket not found'],
  TICKET_DUPLICATE: [409, 'There is an open ticket of this type with this subject'],
  TICKETS_LIMIT: [409, 'There are as many open tickets as there can be'],
  TICKET_COMMENTS_LIMIT: [409, 'The ticket has as many comments as it can have'],
  TICKET_ASSIGNEE_INVALID: [422, 'The user has no rights to tickets of this place'],
  TICKET_ANOTHER_ACCOUNT: [422, 'A ticket stays in its account'],
  TICKET_JOIN_INVALID: [422, 'A ticket cannot be joined with itself'],

  // Assets
  ASSET_NOT_FOUND: [404, 'Asset not found'],
  ASSET_NUMBER_TAKEN: [409, 'Another asset of the account has this inventory number'],
  ASSET_ZONE_NOT_FOUND: [404, 'Zone not found in the account of the asset'],
  ASSET_TRACKER_TAKEN: [409, 'Another asset has this tracker'],
  ASSET_NOT_TRACKED: [409, 'The asset has no tracker'],
  ASSET_LENT: [409, 'The asset is lent already'],
  ASSET_NOT_LENT: [409, 'The asset is not lent'],
  ASSET_ROWS_INVALID: [422, 'Some rows cannot be imported'],
  // Warn app
  WARN_MONITOR_NOT_FOUND: [404, 'Warn monitor not found'],
  WARN_MONITOR_DUPLICATE: [409, 'The twin has a warn monitor'],
  WARN_MONITORS_LIMIT: [409, 'The account has as many warn monitors as it can have'],
  WARN_STATE_INVALID: [422, 'The state is not of this twin, or its limits are for values of another type'],
  WARN_MEDIA_NOT_FOUND: [404, 'The warn monitor has no such file'],
  WARN_MEDIA_REFUSED: [422, 'Images are JPG, PNG or GIF, sounds MP3, WebM, WAV or FLAC'],
  WARN_MEDIA_TOO_LARGE: [422, 'The image or sound is too large'],
  // Keys and locks
  KEY_NOT_FOUND: [404, 'Key not found'],
  KEY_REVOKED: [409, 'The key is revoked'],
  KEY_HOLDER_INVALID: [422, 'The user has no right to use keys there'],
  KEYS_LIMIT: [409, 'The account has as many keys as it can have'],
  LOCK_NOT_FOUND: [404, 'Lock not found'],
  LOCK_EXISTS: [409, 'The door has a lock already'],
  LOCK_TWIN_INVALID: [422, 'Only twins of the type door have locks'],
  LOCK_WAY_INVALID: [422, 'The lock cannot be opened this way'],
  LOCK_REPORT_INVALID: [422, 'The lock cannot report by this state'],
  LOCK_POSITION_MISSING: [422, 'The door has no position to be near to'],
  LOCKS_LIMIT: [409, 'The account has as many locks as it can have'],
  LOCK_GROUP_NOT_FOUND: [404, 'Group of locks not found'],
  LOCK_GROUPS_LIMIT: [409, 'The account has as many groups of locks as it can have'],
  LOCK_REFUSED: [403, 'The lock was not opened'],
  ACTIVATION_NOT_FOUND: [404, 'Activation not found'],
  ACTIVATION_REUSED: [409, 'The id of the request belongs to another lock'],

  // Traces
  TRACE_NOT_FOUND: [404, 'Nothing is known about where this came from'],

  // Rules
  DDR_NOT_FOUND: [404, 'Rule not found'],
  DDR_RECIPIENT_NOT_FOUND: [404, 'The rule does not send mails to this address'],
  DDR_RECIPIENT_ANSWERED: [409, 'The recipient has already answered'],
  DDR_RECIPIENT_LINK_ENDED: [404, 'The link in the mail has expired'],
  DDR_NOT_RUNNABLE: [409, 'The rule is inactive or paused, or cannot be run by hand'],
  DDR_CONDITIONS_NOT_CONVERTIBLE: [400, 'The conditions cannot be converted'],
  PUSH_SUBSCRIPTION_INVALID: [422, 'The keys of the browser are not valid'],
  PUSH_SUBSCRIPTION_NOT_FOUND: [404, 'The browser is not subscribed'],
  PUSH_SUBSCRIPTIONS_MAX: [409, 'The user has reached the limit of browsers: end one first'],
  DDR_ACTION_NOT_TESTABLE: [422, 'Actions of this kind send nothing that could be tested'],
  DDR_PAST_RUNNING: [409, 'Your last run on the past has not ended yet'],
  DDR_DUPLICATE_NAME: [409, 'The twin already has a rule with this name'],

  // Dashboards
  DASHBOARD_NOT_FOUND: [404, 'Dashboard not found'],
  SHARE_NOT_FOUND: [404, 'The link does not exist, has ended or has expired'],
  SHARE_DUPLICATE: [409, 'There is a link already'],
  SHARE_PASSWORD_REQUIRED: [403, 'The link needs its password'],
  SHARE_PASSWORD_WRONG: [403, 'Wrong password'],
  WIDGET_NOT_FOUND: [404, 'Widget not found'],

  // Background jobs
  BACKGROUND_JOB_NOT_FOUND: [404, 'Background job not found'],
  BACKGROUND_JOB_STATE: [409, 'Not possible in the current state of the background job'],
  BACKGROUND_JOB_REVOKED: [403, 'The user who started the background job no longer has the rights it needs'],
  BACKGROUND_JOB_INTERRUPTED: [
    500,
    'The last attempt of the background job was interrupted or took too long',
  ],
  BACKGROUND_JOB_TOO_LARGE: [422, 'The selection is too large for one background job'],
  PRINT_NO_BROWSER: [422, 'Pages cannot be printed on this server: it has no Chromium'],
  PRINT_FAILED: [500, 'The page could not be printed'],
  EXPORT_NOTHING_SELECTED: [422, 'Nothing belongs to this selection'],
  EXPORT_TOO_MANY_COLUMNS: [422, 'There are more states than a row may have columns'],
  EXPORT_TOO_MANY_INTERVALS: [422, 'The period has too many intervals'],
  EXPORT_NO_FILE: [404, 'There is no file, or none any more'],
  EXPORT_NOT_ACTIVE: [409, 'The saved export is disabled'],
  EXPORT_NOT_FOUND: [404, 'Saved export not found'],
  EXPORT_TOO_MANY: [422, 'The account has too many saved exports'],
  EXPORT_SCHEDULE_NOT_FOUND: [404, 'Export schedule not found'],
  EXPORT_SCHEDULE_LIMIT: [409, 'The account has as many export schedules as it can have'],
  EXPORT_SCHEDULE_CONNECTOR_INVALID: [
    422,
    'A target needs a connector of the account that takes messages, or one that publishes with a topic',
  ],
  EXPORT_SCHEDULE_SECRET_MISSING: [422, 'A target needs its password or key'],
  EXPORT_SCHEDULE_RUNNING: [409, 'The export schedule has been started by hand and is still running'],
  EXPORT_SCHEDULE_TEST_TOO_MANY: [429, 'Too many targets tried in a short time'],
  EXPORT_SCHEDULE_TARGET_FAILED: [422, 'The target does not take files'],
  EXPORT_LINK_ENDED: [404, 'The link has expired, or its file was deleted'],
  BULK_SEVERAL_ACCOUNTS: [422, 'All devices must belong to one account'],
  BULK_COUNT: [422, 'The number of devices entered is wrong'],
  BULK_FILE_UNREADABLE: [422, 'The file is not a readable CSV or XLSX file'],
  BULK_FILE_EMPTY: [422, 'The file has no header row, or no rows below it'],
  BULK_UPLOAD_NOT_FOUND: [404, 'The uploaded file no longer exists'],
  BULK_ROWS_FAULTY: [422, 'Rows of the file contain errors'],
  BULK_TEMPLATE_TOO_LARGE: [422, 'The twin has too much below it to be copied for each row of a file'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof errorCatalogue

/**
 * Details of a packet fault, so that it can be translated; `kind` distinguishes faults with the same code.
 * The `message` has the same content in English.
 */
export const FaultParams = z.record(z.string(), z.union([z.string(), z.number()]))
export type FaultParams = z.infer<typeof FaultParams>

export const Fault = z.object({
  code: z.string(),
  message: z.string(),
  params: FaultParams.optional(),
})
export type Fault = z.infer<typeof Fault>

/** A remark about a parser's result; without `params` it comes from the parser itself. */
export const Remark = Fault.omit({ code: true })
export type Remark = z.infer<typeof Remark>

/** Why a packet, or a part of it, could not be used. */
export interface PacketFault {
  code: ErrorCode
  message: string
  /** absent when the message comes from a user's script or parser, or adds nothing to the code */
  params?: FaultParams
}

/** Shape of every error response of the API. `requestId` identifies the request in the server's log. */
export interface ErrorReply {
  code: ErrorCode
  message: string
  data?: Record<string, unknown>
  requestId: string
}
