import type { Uplink } from './devices/index.ts'

/** An uplink with what the network adds to it. */
export interface RadioUplink extends Uplink {
  devEui: string
  devAddr: string
  /** counts up by one with every uplink of a session */
  fCnt: number
  time: Date
  rssi: number
  snr: number
  spreadingFactor: number
  gateway: string
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** An uplink as The Things Stack v3 posts it: empty and zero fields are left out, frequencies are text. */
export function ttsBody(uplink: RadioUplink): object {
  const time = uplink.time.toISOString().replace('Z', '000000Z')
  return {
    end_device_ids: {
      device_id: `eui-${uplink.devEui.toLowerCase()}`,
      application_ids: { application_id: 'city' },
      dev_eui: uplink.devEui,
      dev_addr: uplink.devAddr,
    },
    received_at: time,
    uplink_message: {
      session_key_id: Buffer.from(uplink.devAddr).toString('base64'),
      ...(uplink.fPort === 0 ? {} : { f_port: uplink.fPort }),
      ...(uplink.fCnt === 0 ? {} : { f_cnt: uplink.fCnt }),
      frm_payload: base64(uplink.bytes),
      rx_metadata: [
        {
          gateway_ids: { gateway_id: uplink.gateway },
          time,
          rssi: uplink.rssi,
          channel_rssi: uplink.rssi,
          snr: uplink.snr,
        },
      ],
      settings: {
        data_rate: {
          lora: { bandwidth: 125_000, spreading_factor: uplink.spreadingFactor, coding_rate: '4/5' },
        },
        frequency: '868300000',
        time,
      },
      received_at: time,
    },
  }
}

/** An uplink as ChirpStack v4 publishes it. */
export function chirpstackBody(uplink: RadioUplink): object {
  const time = uplink.time.toISOString().replace('Z', '+00:00')
  return {
    time,
    deviceInfo: {
      applicationId: chirpstackApplication,
      applicationName: 'city',
      devEui: uplink.devEui.toLowerCase(),
    },
    devAddr: uplink.devAddr.toLowerCase(),
    ...(uplink.fCnt === 0 ? {} : { fCnt: uplink.fCnt }),
    fPort: uplink.fPort,
    data: base64(uplink.bytes),
    rxInfo: [{ gatewayId: uplink.gateway, rssi: uplink.rssi, snr: uplink.snr }],
    txInfo: {
      frequency: 868_100_000,
      modulation: {
        lora: { bandwidth: 125_000, spreadingFactor: uplink.spreadingFactor, codeRate: 'CR_4_5' },
      },
    },
  }
}

const chirpstackApplication = '5f1c2d0e-7a3b-4c55-9d1a-2b6f0c9e8a41'

/** Topic under which ChirpStack v4 publishes the uplinks of a device. */
export function chirpstackTopic(devEui: string): string {
  return `application/${chirpstackApplication}/device/${devEui.toLowerCase()}/event/up`
}
