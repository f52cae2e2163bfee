/**
 * Simulated devices: values to the bytes that the real device would send. The names are the keys of the delivered
 * driver library, the values carry the names of its variables.
 */
import { encode as pulse } from './adeunis-pulse.ts'
import { encode as w1 } from './axioma-qalcosonic-w1.ts'
import { encode as tpl110 } from './bosch-tpl110.ts'
import { encode as cd10 } from './browan-merryiot-cd10.ts'
import { encode as dw10 } from './browan-merryiot-dw10.ts'
import { encode as tbsl100 } from './browan-tbsl100.ts'
import { encode as tbwl100 } from './browan-tbwl100.ts'
import { encode as atm41 } from './decentlab-dl-atm41.ts'
import { encode as ldds75 } from './dragino-ldds75.ts'
import { encode as lht65 } from './dragino-lht65.ts'
import { encode as lse01 } from './dragino-lse01.ts'
import { encode as ers } from './elsys-ers.ts'
import { encode as am107 } from './milesight-am107.ts'
import { encode as em310 } from './milesight-em310-udl.ts'
import { encode as ra0716 } from './netvox-ra0716.ts'
import { encode as nps310 } from './nwave-nps310.ts'
import { encode as levelMonitor } from './terabee-level-monitor-xl.ts'

export type { Uplink } from './bytes.ts'

export const devices = {
  'adeunis-pulse': pulse,
  'axioma-qalcosonic-w1': w1,
  'bosch-tpl110': tpl110,
  'browan-merryiot-cd10': cd10,
  'browan-merryiot-dw10': dw10,
  'browan-tbsl100': tbsl100,
  'browan-tbwl100': tbwl100,
  'decentlab-dl-atm41': atm41,
  'dragino-ldds75': ldds75,
  'dragino-lht65': lht65,
  'dragino-lse01': lse01,
  'elsys-ers': ers,
  'milesight-am107': am107,
  'milesight-em310-udl': em310,
  'netvox-ra0716': ra0716,
  'nwave-nps310': nps310,
  'terabee-level-monitor-xl': levelMonitor,
} as const

export type DeviceKey = keyof typeof devices
