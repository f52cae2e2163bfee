import { formatTime } from '../../../lib/format.ts'

/** A position, from `time` until it was last reported. */
export interface Place {
  time: string
  until: string
  latitude: number
  longitude: number
}

/** A twin or device whose track is shown. */
export interface Moving {
  id: number
  title: string
  latitude: number | null
  longitude: number | null
}

export const keyOf = ({ time }: Place): string => time

export const nameOf = ({ time }: Place): string => formatTime(time)
