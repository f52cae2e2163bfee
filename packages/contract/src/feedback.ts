import * as z from 'zod'
import { Done, operation } from './common.ts'

export const feedbackLimits = {
  subjectLengthMax: 50,
  contentLengthMax: 10_000,
  picturesMax: 10,
  /** of all pictures together */
  picturesBytesMax: 10 * 1_048_576,
} as const

/** Formats that browsers and all mail programs can display. */
export const feedbackPictureTypes = ['image/jpeg', 'image/png'] as const

export const Feedback = z.object({
  /** empty: the beginning of the content */
  subject: z.string().trim().max(feedbackLimits.subjectLengthMax).default(''),
  content: z.string().trim().min(1).max(feedbackLimits.contentLengthMax),
  /** true: a bug report; false: a suggestion. Form fields are text. */
  bug: z.union([z.boolean(), z.stringbool()]).default(false),
  /** JPEG or PNG by their content; the field may be repeated */
  files: z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(z.file()).max(feedbackLimits.picturesMax).optional(),
    )
    .default([]),
})

export const feedback = {
  /**
   * Sends feedback about the platform by mail: to the recipients of the account or of the nearest account above
   * with recipients, else to the operator's address. The sender is the signed-in user; `tenantId` and
   * `userId` of older programs are ignored. Limited to a few per hour.
   */
  send: operation
    .meta({
      rule: 'session',
      fileBytesMax: feedbackLimits.picturesBytesMax,
      filesMax: feedbackLimits.picturesMax,
      clientTimeoutMs: 50_000,
    })
    .route({
      method: 'POST',
      path: '/user/feedback',
      tags: ['users'],
      summary: 'Send feedback',
      successStatus: 201,
    })
    .input(Feedback)
    .output(Done),
}
