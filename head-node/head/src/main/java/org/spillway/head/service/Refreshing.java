package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.catalogue.CataloguedSite;

/** Asks every site regularly what it sells: the sites of one account not all at once, and no start waits for it. */
final class Refreshing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Refreshing.class);
    /** The loop has asked for what is not known at all by then, and the head has had its start for itself. */
    private static final Duration FIRST = Duration.ofSeconds(20);

    private static final Duration APART = Duration.ofSeconds(5);
    private static final String SITE = "site";

    private final AtomicReference<Scheduler> scheduler = new AtomicReference<>();
    private final Thread starting;

    private Refreshing(Map<String, CataloguedSite> sites, Duration period) {
        this.starting = Thread.ofVirtual().name("refreshing").start(() -> {
            try {
                Thread.sleep(FIRST);
            } catch (InterruptedException closed) {
                return;
            }
            start(sites, period);
        });
    }

    static Refreshing begin(Map<String, CataloguedSite> sites, Duration period) {
        return new Refreshing(Map.copyOf(sites), period);
    }

    private void start(Map<String, CataloguedSite> sites, Duration period) {
        try {
            Properties settings = new Properties();
            settings.setProperty("org.quartz.scheduler.instanceName", "offerings");
            settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
            settings.setProperty("org.quartz.scheduler.makeSchedulerThreadDaemon", "true");
            settings.setProperty("org.quartz.jobStore.class", "org.quartz.simpl.RAMJobStore");
            settings.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
            settings.setProperty("org.quartz.threadPool.threadCount", "2");
            settings.setProperty("org.quartz.threadPool.makeThreadsDaemons", "true");
            Scheduler quartz = new StdSchedulerFactory(settings).getScheduler();
            Instant first = Instant.now();
            for (var site : sites.entrySet()) {
                schedule(quartz, site.getKey(), site.getValue(), first, period);
                first = first.plus(APART);
            }
            quartz.start();
            scheduler.set(quartz);
        } catch (SchedulerException failed) {
            LOG.warn("offerings are not refreshed: {}", failed.getMessage());
        }
    }

    private static void schedule(Scheduler quartz, String name, CataloguedSite site, Instant first, Duration period)
            throws SchedulerException {
        JobDataMap data = new JobDataMap();
        data.put(SITE, site);
        quartz.scheduleJob(
                JobBuilder.newJob(Refresh.class)
                        .withIdentity(name)
                        .setJobData(data)
                        .build(),
                TriggerBuilder.newTrigger()
                        .startAt(Date.from(first))
                        .withSchedule(SimpleScheduleBuilder.simpleSchedule()
                                .withIntervalInMilliseconds(period.toMillis())
                                .repeatForever()
                                .withMisfireHandlingInstructionNextWithRemainingCount())
                        .build());
    }

    /** One site's turn. Made by Quartz. */
    @DisallowConcurrentExecution
    public static final class Refresh implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            if (context.getMergedJobDataMap().get(SITE) instanceof CataloguedSite site) {
                site.refresh();
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        starting.interrupt();
        starting.join(Duration.ofSeconds(5));
        Scheduler running = scheduler.get();
        if (running != null) {
            try {
                running.shutdown(false);
            } catch (SchedulerException ending) {
                LOG.debug("closing: {}", ending.toString());
            }
        }
    }
}
