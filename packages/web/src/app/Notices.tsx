import { Notifications } from '@mantine/notifications'

/** The corner where notices appear; fetched with the first one. */
export default function Notices() {
  return <Notifications position="bottom-left" limit={4} />
}
