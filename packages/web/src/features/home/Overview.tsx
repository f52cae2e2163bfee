import { Suspense } from 'react'
import { useCan } from '../../lib/session.ts'
import { Messages } from '../announcements/index.ts'
import { SetupOffer } from '../setup/index.ts'
import { Alarms } from './Alarms.tsx'
import { DevicesByHealth } from './DevicesByHealth.tsx'
import classes from './home.module.css'
import { Missing } from './Missing.tsx'
import { Recently } from './Recently.tsx'
import { Tasks } from './Tasks.tsx'
import { Today } from './Today.tsx'

/** The state of the installation in one look, as far as the user may see it. */
export default function Overview() {
  const can = useCan()
  const [devices, all] = [can('VirtualDevice', 'read'), can('all', 'manage')]
  const alarms = devices || can('DigitalTwin', 'read')
  return (
    <>
      <Suspense>
        <Messages />
      </Suspense>
      {can('super.system', 'manage') ? (
        <Suspense>
          <SetupOffer />
        </Suspense>
      ) : null}
      {devices ? <DevicesByHealth /> : null}
      <div className={classes.columns} data-single={!(alarms || all) || undefined}>
        {alarms || all ? (
          <div className={classes.stack}>
            {alarms ? <Alarms /> : null}
            {all ? (
              <div className={classes.later}>
                <Today />
              </div>
            ) : null}
          </div>
        ) : null}
        <div className={classes.stack}>
          {devices || all ? <Tasks /> : null}
          {all ? <Missing /> : null}
          <div className={classes.later}>
            <Recently />
          </div>
        </div>
      </div>
    </>
  )
}
