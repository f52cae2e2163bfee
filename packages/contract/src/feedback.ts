import * as z from 'zod'
import { Done, operation } from './common.ts'

export const feedbackLimits = {
  subjectLengthMax: 50,
  contentLengthMax: 10_000,
  picturesMax: 10,
  /** of all pictures together */
  picturesBytesMax: 10 * 1_048_576,
} as const

/** What a browser and every mail program can show. */
export const feedbackPictureTypes = ['image/jpeg', 'image/png'] as const

export const Feedback = z.object({
  /** empty: the beginning of the content */
  subject: z.string().trim().max(feedbackLimits.subjectLengthMax).default(''),
  content: z.string().trim().min(1).max(feedbackLimits.contentLengthMax),
  /** something does not work; else a wish. Fields of a form are texts. */
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
   * Sends what somebody says about the platform by mail: to the recipients of the account, else to those of the nearest
   * account above that has addresses, else to the one the operator has set. Sender is who is signed in; `tenantId` and
   * `userId` of older programs are read over. A few an hour.
   */
  feedback: operation
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
